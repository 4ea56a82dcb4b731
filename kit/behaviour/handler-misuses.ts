import type { Misuse } from './misuses.ts'

/** Names of the two factories that every framework has. */
export interface HandlerNames {
  readonly transcribe: string
  readonly speak: string
}

/** Misuses of options that do not fit together, the same in every framework. The code has `client` and `keyterms`. */
export function handlerMisuses({ transcribe, speak }: HandlerNames): readonly Misuse[] {
  const standard = "client, model: 'svc-transcribe-1.0'"
  return [
    [`${speak}({ client })`, "Property 'voice_id' is missing"],
    [`${speak}({ client, voice_id: process.env.VOICE })`, "'undefined' is not assignable"],
    [`${speak}({ client, respond: 'task' })`, "Property 'voice_id' is missing"],
    [`${speak}({ client, voice_id: 'rms', language: 'en' })`, "Property 'respond' is missing"],
    [`${speak}({ client, voice_id: 'rms', respond: 'audio', speed: 2 })`, `"needs respond: 'pcm' or 'sse'"`],
    [`${speak}({ client, respond: 'pcm', response_format: 'mp3' })`, 'is always pcm with respond'],
    [
      `${speak}({ client, voice_id: 'rms', onTask: () => {} })`,
      "Property 'respond' is missing in type '{ client: AudioClient; voice_id: string; onTask: () => void; }'",
    ],
    [`${speak}({ client, voice_id: 'rms', respond: 'audio', onTask: () => {} })`, `"needs respond: 'task'"`],
    [`${speak}({ client, voice_id: 'rms', respond: 'json' })`, `Type '"json"' is not assignable`],
    [`${transcribe}({})`, "Argument of type '{}'"],
    [`${transcribe}({ client, onTask: () => {} })`, "Property 'respond' is missing"],
    [`${transcribe}({ client, respond: 'sse', webhook_url: 'https://app.example/hook' })`, `"needs respond: 'task'"`],
    [`${transcribe}({ client, respond: 'next' })`, `Type '"next"' is not assignable`],
    [`${transcribe}({ ${standard}, keyterms })`, 'needs the model svc-transcribe-diarize-pro'],
    [`${transcribe}({ ${standard}, diarize: true })`, 'needs the model svc-transcribe-diarize-pro'],
    [`${transcribe}({ ${standard}, respond: 'sse' })`, 'needs the model svc-transcribe-diarize-pro'],
    [`${transcribe}({ client, maxFilesize: 1 })`, "Did you mean to write 'maxFileSize'?"],
    [`${transcribe}({ client, maxFields: 1 })`, "'maxFields' does not exist"],
  ]
}

/** Misuse of a factory in the place of its handler. */
export function uncalled(factory: string, code: string): Misuse {
  return [code, `call ${factory}({ … }), do not pass it`]
}
