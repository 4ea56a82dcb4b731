// What the page and its server say to each other.

/** Longest text that is spoken at once, in characters: about six minutes. */
export const MAX_SPEECH_CHARACTERS = 5000
/** Longest text that the integrations run on, in characters: each of them speaks and transcribes all of it. */
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
  /** Speaking rate; 1 is the voice's own. @default 1 */
  readonly speed?: number
}

/** An integration as the page lists it. */
export interface IntegrationInfo {
  readonly id: string
  readonly title: string
  readonly package: string
  readonly about: string
  /** Where its code is, from the playground's folder. */
  readonly file: string
  /** The part of that file that does the work. */
  readonly code: string
}

/** Answer of `GET /api/integrations`. */
export interface IntegrationsAnswer {
  readonly integrations: readonly IntegrationInfo[]
}

/** Answer of `POST /api/integrations/{id}`. */
export interface IntegrationResult {
  /** Address of what was spoken. */
  readonly audioUrl: string
  readonly transcript: string
  /** 0 is perfect. */
  readonly wordErrorRate: number
  /** How long it took, in milliseconds. */
  readonly ms: number
}

/** Any answer that is not a success. */
export interface ErrorAnswer {
  readonly error: { readonly code: string; readonly message: string }
}
