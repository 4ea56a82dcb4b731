import type { RecordedRequest } from '../upstream/recorded-request.ts'
import type { HttpReply } from '../upstream/reply.ts'
import type { World } from './world.ts'

/** A request with its whole body, and the data for its response. */
export interface HappyCall {
  readonly world: World
  readonly request: RecordedRequest
  /** The id in the path. */
  readonly id: string
}

/** What an endpoint answers when nothing is scripted. @throws Refusal */
export type HappyResponse = (call: HappyCall) => HttpReply
