import { mkdir } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { syncFolder } from './sync-folder.ts'

/**
 * Makes a folder, and those above it that are missing. When it resolves they survive a power cut: each new one is an
 * entry of the folder above it, which is synced.
 */
export async function makeFolder(path: string): Promise<void> {
  const whole = resolve(path)
  const first = await mkdir(whole, { recursive: true, mode: 0o700 })
  if (first === undefined) return
  for (let made = whole; made.length >= first.length; made = dirname(made)) await syncFolder(dirname(made))
}
