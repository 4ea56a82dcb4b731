import type { VoiceParameters } from '../domain/voice-design/voice-parameters.ts'
import type { Idempotency } from './task-store.ts'

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

/** Where tenants' own voices are kept. What has resolved survives a crash. No tenant sees another one's voices. */
export interface VoiceStore {
  /**
   * Keeps a voice and its idempotency key together.
   * @returns The voice that the same request made before, if it did; `undefined`, and nothing is kept, when the key came
   * with another request.
   */
  create(voice: Omit<StoredVoice, 'createdAt'>, idempotency?: Idempotency): Promise<StoredVoice | undefined>
  /** `false` for an unknown id and for another tenant's. */
  delete(tenant: string, id: string): Promise<boolean>
  /** Those of these voices that exist and are this tenant's, in no certain order. */
  find(tenant: string, ids: readonly string[]): Promise<StoredVoice[]>
  /** In the order in which they were made. */
  list(tenant: string, slice: VoiceSlice): Promise<StoredVoice[]>
  /**
   * How a voice is spoken, whoever it belongs to: for work that was accepted from its tenant before.
   * @returns `undefined` for an unknown id
   */
  parametersOf(id: string): Promise<VoiceParameters | undefined>
}
