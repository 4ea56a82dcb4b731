// Messages between the page and its server.

/** Longest text of one speech, in characters: about six minutes. */
export const MAX_SPEECH_CHARACTERS = 5000
/** Longest text of the integrations, in characters. Each integration speaks and transcribes it. */
export const MAX_INTEGRATION_CHARACTERS = 300

/** A voice to choose. */
export interface VoiceChoice {
  readonly id: string
  readonly name: string
}

/** Answer of `GET /api/voices`: the service's default voice first. */
export interface VoicesAnswer {
  readonly voices: readonly VoiceChoice[]
}

/** Body of `POST /api/speech`, which answers with the interface's streaming speech events. */
export interface SpeakRequest {
  readonly text: string
  readonly voice: string
  /** Speaking rate. 1 is the voice's normal rate. @default 1 */
  readonly speed?: number
}

/** An integration in the list of the page. */
export interface IntegrationInfo {
  readonly id: string
  readonly title: string
  readonly package: string
  readonly about: string
  /** Path of its file, relative to the playground's folder. */
  readonly file: string
  /** The shown regions of that file. */
  readonly code: string
}

/** Answer of `GET /api/integrations`. */
export interface IntegrationsAnswer {
  readonly integrations: readonly IntegrationInfo[]
}

/** Answer of `POST /api/integrations/{id}`. */
export interface IntegrationResult {
  /** Address of the audio. */
  readonly audioUrl: string
  readonly transcript: string
  /** Word error rate. 0 is perfect. */
  readonly wordErrorRate: number
  /** Duration of the run, in milliseconds. */
  readonly ms: number
}

/** An error answer. */
export interface ErrorAnswer {
  readonly error: { readonly code: string; readonly message: string }
}
