/** Whether anybody has written since. */
import type { Database } from '../ports.ts'

/** Another one once anything has changed: of two numbers one tells what others wrote, the other what this connection did. */
export function changeMark(database: Database): string {
  const [mark] = database.all('SELECT data_version, total_changes() AS changes FROM pragma_data_version')
  return JSON.stringify(mark)
}
