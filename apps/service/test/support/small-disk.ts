import { execFileSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'

/**
 * Mounts a small disk in memory on a folder, which is created if it is missing. It needs Linux and root.
 * @param options Options of tmpfs: `size=48m,nr_inodes=400`.
 * @returns `false` on a system that does not let this process mount
 */
export function mountSmallDisk(folder: string, options: string): boolean {
  if (process.platform !== 'linux') return false
  mkdirSync(folder, { recursive: true })
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', folder], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

/** Unmounts a small disk, also while a program still has files open on it. */
export function unmountSmallDisk(folder: string): void {
  execFileSync('umount', ['-l', folder], { stdio: 'ignore' })
}
