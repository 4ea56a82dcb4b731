// Messages between the page and its server.

/** Longest text of the integrations, in characters. Each integration speaks and transcribes it. */
export const MAX_INTEGRATION_CHARACTERS = 300

/** Path of the WebSocket of the Talk panel. */
export const TALK_PATH = '/api/talk'

/** Path of the script of its audio thread. */
export const VOICE_WORKLET_PATH = '/voice-worklet.js'

/**
 * Whether the service can be used. `down` waits for the next start, `silent` accepts connections and does not answer, and
 * `refused` does not accept the key of the playground.
 */
export type ServiceState = 'up' | 'starting' | 'down' | 'silent' | 'refused'

/** Response of `GET` and `POST /api/status`. */
export interface StatusResponse {
  readonly service: ServiceState
  /** Whether the playground runs the service itself. */
  readonly embedded: boolean
  /** Address of a service that somebody else runs: links to its results begin with it. */
  readonly address?: string | undefined
  /** Number of the process of an embedded service. Another one shows that the service was away. */
  readonly process?: number | undefined
}

/** Body of `POST /api/integrations/{id}`. */
export interface IntegrationRequest {
  readonly text: string
  readonly voice: string
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

/** Response of `GET /api/integrations`. */
export interface IntegrationsResponse {
  readonly integrations: readonly IntegrationInfo[]
}

/** Response of `POST /api/integrations/{id}`. */
export interface IntegrationResult {
  /** Address of the audio. */
  readonly audioUrl: string
  readonly transcript: string
  /** Word error rate. 0 is perfect. */
  readonly wordErrorRate: number
  /** What the package did, in order. */
  readonly steps: readonly string[]
  /** Duration of the run, in milliseconds. */
  readonly ms: number
}

/** A callback of a finished task. */
export interface WebhookArrival {
  readonly task_id: string
  /** Of the task, as the service answers it after the callback. */
  readonly status: string
  /** Unix milliseconds. */
  readonly received_at: number
}

/** Response of `GET /api/webhooks`. */
export interface WebhooksResponse {
  /** Whether the service can call the playground. */
  readonly available: boolean
  /** The last callbacks, oldest first. `GET /api/webhooks/events` sends them and all later ones as events. */
  readonly arrivals: readonly WebhookArrival[]
}

/** Response of `POST /api/webhooks`. */
export interface WebhookAddress {
  /** For `webhook_url` of one task. */
  readonly url: string
}

/** An error response. */
export interface ErrorResponse {
  readonly error: { readonly code: string; readonly message: string }
}

/** Ids of the panels. Each is a path of the page. */
export const PANEL_IDS = [
  'speak',
  'transcribe',
  'dialogue',
  'talk',
  'voices',
  'tasks',
  'files',
  'models',
  'round-trip',
  'integrations',
] as const

/** Id of a panel. */
export type PanelId = (typeof PANEL_IDS)[number]

/** Whether a text is the id of a panel. */
export function isPanelId(text: string): text is PanelId {
  return PANEL_IDS.some((id) => id === text)
}
