import type { RunningService } from '../service.ts'

/**
 * The text of a service that is ready: its addresses and folder, and at the first start the new key, with a command to
 * paste that speaks.
 */
export function greeting(
  { url, newApiKey, newWebhookSecret }: Pick<RunningService, 'url' | 'newApiKey' | 'newWebhookSecret'>,
  dataDir: string,
): string {
  const ready = `svc-audio service is ready\n  address  ${url}\n  docs     ${url}/docs\n  data     ${dataDir}\n`
  if (newApiKey === undefined) return ready
  return `${ready}  API key  ${newApiKey}
           shown this once, stored as a hash only
  webhooks ${newWebhookSecret}
           signs them; webhook-secret shows it again

Speak a sentence:
  ${curl(url, newApiKey)}
`
}

/** A command that speaks: one line, so that it can be pasted into any shell with single quotes. */
function curl(url: string, apiKey: string): string {
  const body = JSON.stringify({ model: 'svc-tts-1.5-flash', voice_id: 'rms', input: 'Hello there.' })
  return `curl ${url}/v1/audio/speech -H 'authorization: Bearer ${apiKey}' -H 'content-type: application/json' -d '${body}' -o hello.mp3`
}
