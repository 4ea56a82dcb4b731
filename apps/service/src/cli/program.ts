import { readFileSync } from 'node:fs'
import type { RunningService } from '../service.ts'

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

/**
 * The text of a service that is ready: its addresses and folder, and at the first start the new key, with a command to
 * paste that speaks.
 */
export function greeting(
  {
    url,
    newApiKey,
    newWebhookSecret,
    firstVoiceId = 'joe',
  }: Pick<RunningService, 'url' | 'newApiKey' | 'newWebhookSecret' | 'firstVoiceId'>,
  dataDir: string,
): string {
  const ready = `svc-audio service is ready\n  address  ${url}\n  docs     ${url}/docs\n  data     ${dataDir}\n`
  if (newApiKey === undefined) return ready
  return `${ready}  API key  ${newApiKey}
           shown this once, stored as a hash only
  webhooks ${newWebhookSecret}
           signs them; webhook-secret shows it again

Speak a sentence:
  ${curl(url, newApiKey, firstVoiceId)}
`
}

/**
 * A command that speaks: one line, so that it can be pasted into any shell with single quotes. It waits while an engine
 * loads its model.
 */
function curl(url: string, apiKey: string, voiceId: string): string {
  const body = JSON.stringify({ model: 'svc-tts-1.5-flash', voice_id: voiceId, input: 'Hello there.' })
  return `curl ${url}/v1/audio/speech -fsS --retry 9 -H 'authorization: Bearer ${apiKey}' -H 'content-type: application/json' -d '${body}' -o hello.mp3`
}

/**
 * Hides one warning: Node 22 and 24 report at the first import of `node:sqlite` that it is experimental. The program is
 * tested with the Node versions in `engines`, and its user cannot act on the warning. Every other warning is printed.
 * Other listeners of the process still receive this one. A program that imports the service as a library keeps the
 * warning.
 */
export function hideSqliteWarning(): void {
  // Only Node's printing listeners exist this early.
  const printers = process.listeners('warning')
  process.removeAllListeners('warning')
  process.on('warning', (warning) => {
    if (warning.name === 'ExperimentalWarning' && warning.message.startsWith('SQLite ')) return
    for (const print of printers) print(warning)
  })
}
