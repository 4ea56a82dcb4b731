import { readFileSync } from 'node:fs'

/** What `--version` prints. */
export function versionText(): string {
  // Our own: it stands beside the folder that this file is in, compiled or not.
  const manifest: unknown = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))
  const version = typeof manifest === 'object' && manifest !== null && 'version' in manifest ? manifest.version : ''
  return `svc-audio-service ${String(version)}\n`
}
