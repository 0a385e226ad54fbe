/** `folder-scan FOLDER`: readdir and lstat of every file, nothing else. */
import { scanFolder } from './scanned-folder.ts'

console.log(scanFolder(process.argv[2] ?? '.').names.length)
