import type { VoiceParameters } from '@svc-audio/engine-ports'
import type { Idempotency, KnownKey } from './response-store.ts'

/** State of a voice: the values of `status` in the list of voices. */
export type VoiceStatus = 'active' | 'failed'

/** Every {@link VoiceStatus}. */
export const VOICE_STATUSES = ['active', 'failed'] as const satisfies readonly VoiceStatus[]

/** A voice that a tenant created. */
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

/** Options of {@link VoiceStore.list}. */
export interface VoiceSlice {
  readonly status?: VoiceStatus
  /** Only voices created after this voice of the tenant. */
  readonly after?: string
  /** Number of voices to skip. @default 0 */
  readonly offset?: number
  readonly limit: number
}

/** Outcome of {@link VoiceStore.create}. */
export type VoiceAcceptance =
  | { readonly outcome: 'accepted'; readonly voice: StoredVoice }
  /** The key is known, as {@link KnownKey} says. Nothing was stored. */
  | Exclude<KnownKey, { readonly outcome: 'new' }>

/** Stores the voices of tenants. A resolved call survives a crash. No tenant sees the voices of another. */
export interface VoiceStore {
  /**
   * Stores a voice and its idempotency key together. The response of the key contains the id as `voice`. After the voice
   * is deleted, it also contains `name` and `createdAt`.
   */
  create(voice: Omit<StoredVoice, 'createdAt'>, idempotency?: Idempotency): Promise<VoiceAcceptance>
  /** Deletes a voice, but not its idempotency key. @returns `false` for an unknown id and for another tenant's. */
  delete(tenant: string, id: string): Promise<boolean>
  /** Returns the voices of this tenant among the ids, in no particular order. */
  find(tenant: string, ids: readonly string[]): Promise<StoredVoice[]>
  /** Lists voices in the order of creation. */
  list(tenant: string, slice: VoiceSlice): Promise<StoredVoice[]>
  /**
   * Returns the parameters of a voice of any tenant. Call it only for work already accepted from its tenant.
   * @returns `undefined` for an unknown id
   */
  parametersOf(id: string): Promise<VoiceParameters | undefined>
}
