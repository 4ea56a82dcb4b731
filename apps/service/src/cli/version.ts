import { readFileSync } from 'node:fs'

/** Returns the `--version` text. */
export function versionText(): string {
  return `svc-audio-service ${programVersion()}\n`
}

/** The version of this program. */
export function programVersion(): string {
  // This package's manifest stands beside the folder of this file, compiled or not.
  const manifest: unknown = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))
  return typeof manifest === 'object' && manifest !== null && 'version' in manifest ? String(manifest.version) : ''
}
