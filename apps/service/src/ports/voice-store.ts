import type { VoiceParameters } from '../domain/voice-design/voice-parameters.ts'
import type { KnownKey } from './answer-store.ts'
import type { Idempotency } from './idempotency.ts'

/** Whether a voice can be used: the values of `status` when voices are listed. */
export type VoiceStatus = 'active' | 'failed'

/** Every {@link VoiceStatus}. */
export const VOICE_STATUSES = ['active', 'failed'] as const satisfies readonly VoiceStatus[]

/** A voice that a tenant has made. */
export interface StoredVoice {
  readonly id: string
  readonly tenant: string
  /** Empty when none was given. */
  readonly name: string
  /** Empty when none was given. */
  readonly description: string
  readonly status: VoiceStatus
  readonly parameters: VoiceParameters
  /** Unix seconds. */
  readonly createdAt: number
}

/** Which part of a tenant's voices is wanted. */
export interface VoiceSlice {
  readonly status?: VoiceStatus
  /** Only voices made after this one, which is this tenant's. */
  readonly after?: string
  /** How many are left out first. @default 0 */
  readonly offset?: number
  readonly limit: number
}

/** What became of a new voice. */
export type VoiceAcceptance =
  | { readonly outcome: 'accepted'; readonly voice: StoredVoice }
  /** The same request came before, or another one with this key; nothing was stored. As {@link KnownKey}. */
  | Exclude<KnownKey, { readonly outcome: 'new' }>

/** Where tenants' own voices are stored. What has resolved survives a crash. No tenant sees another one's voices. */
export interface VoiceStore {
  /**
   * Keeps a voice and its idempotency key together. What that key is answered is `voice`, the id, and once the voice was
   * deleted `name` and `createdAt` too.
   */
  create(voice: Omit<StoredVoice, 'createdAt'>, idempotency?: Idempotency): Promise<VoiceAcceptance>
  /** Its idempotency key stays. `false` for an unknown id and for another tenant's. */
  delete(tenant: string, id: string): Promise<boolean>
  /** Those of these voices that exist and are this tenant's, in no certain order. */
  find(tenant: string, ids: readonly string[]): Promise<StoredVoice[]>
  /** In the order in which they were made. */
  list(tenant: string, slice: VoiceSlice): Promise<StoredVoice[]>
  /**
   * How a voice is spoken, of any tenant: for work that was accepted from its tenant before.
   * @returns `undefined` for an unknown id
   */
  parametersOf(id: string): Promise<VoiceParameters | undefined>
}
