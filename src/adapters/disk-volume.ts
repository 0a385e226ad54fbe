/** The file system that a path lies on. */
import { statfsSync } from 'node:fs'
import type { Volume } from '../ports.ts'

// f_type of statfs(2) on Linux: https://man7.org/linux/man-pages/man2/statfs.2.html
const NETWORK: Readonly<Record<number, string>> = {
  26985: 'NFS',
  20859: 'SMB',
  4266872130: 'SMB',
  4283649346: 'SMB',
  1397113167: 'AFS',
  12805120: 'Ceph',
  16914839: '9P',
}

/** Null where the system does not tell. */
export function diskVolume(path: string): Volume | null {
  try {
    const { type, bavail, bsize } = statfsSync(path)
    // A signed number on some systems.
    const network = process.platform === 'linux' ? (NETWORK[type >>> 0] ?? null) : null
    return { freeBytes: bavail * bsize, network }
  } catch {
    return null
  }
}
