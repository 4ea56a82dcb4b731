import type { PcmFormat } from '@svc-audio/core/audio'
import type { VoiceEvent, VoiceEventTime, VoiceStage } from '../events.ts'

/** Version of the protocol between the browser and the server. */
export const VOICE_PROTOCOL = 1

/** Texts of the client. Binary frames beside them are PCM of the microphone, in the format of `start`. */
export type ClientMessage =
  /** The first message. The server replies with `ready`. */
  | {
      readonly type: 'start'
      /** {@link VOICE_PROTOCOL} of the client. Another version is refused with `protocol`. */
      readonly protocol: number
      /** 16-bit mono. */
      readonly format: PcmFormat
      /** What `authenticate` of the server gets. */
      readonly token?: string
      /** The session to continue, from the `ready` of an earlier connection. */
      readonly session?: string
    }
  /** Position of the player in the answer of a turn. */
  | {
      readonly type: 'played'
      /** The turn, as in `audio_format`. */
      readonly turn: number
      /** Seconds of its audio that the user has heard. */
      readonly seconds: number
    }
  /** The client is there, while its microphone is muted. */
  | { readonly type: 'alive' }

/** An event of the pipeline without audio, as the server sends it. */
export type WireEvent =
  | Exclude<VoiceEvent, { readonly type: 'tts_chunk' | 'tool_call' | 'tool_result' | 'error' }>
  /** Arguments and results of tools stay on the server. */
  | (VoiceEventTime & {
      readonly type: 'tool_call'
      /** Id of the call. Its result has the same. */
      readonly id: string
      /** Name of the tool. */
      readonly name: string
    })
  | (VoiceEventTime & {
      readonly type: 'tool_result'
      /** Id of the call. */
      readonly toolCallId: string
      /** Name of the tool. */
      readonly name: string
    })
  | (VoiceEventTime & {
      readonly type: 'error'
      /** The stage that failed. */
      readonly stage: VoiceStage
      /** What went wrong, without details of the server. */
      readonly message: string
    })

/** Texts of the server. Binary frames beside them are PCM of the answer, in the format of the last `audio_format`. */
export type ServerMessage =
  | {
      readonly type: 'ready'
      /** {@link VOICE_PROTOCOL} of the server. */
      readonly protocol: number
      /** Secret name of the session, for a reconnect. */
      readonly session: string
      /** Whether the conversation of an earlier connection continues. */
      readonly resumed: boolean
    }
  /** Audio of a turn follows. A new turn begins its position at 0. */
  | {
      readonly type: 'audio_format'
      /** Number of the turn, from 1. */
      readonly turn: number
      /** Sample rate, channels and depth of the binary frames that follow. */
      readonly format: PcmFormat
    }
  | WireEvent

/** Codes with which the server closes a connection. */
export const VOICE_CLOSE: Readonly<
  Record<
    | 'ended'
    | 'restart'
    | 'busy'
    | 'protocol'
    | 'unauthorized'
    | 'origin'
    | 'idle'
    | 'replaced'
    | 'tooLong'
    | 'tooLarge'
    | 'tooFast'
    | 'tooSlow'
    | 'failed',
    number
  >
> = {
  /** The conversation is over. */
  ended: 1000,
  /** The server restarts: connect again. */
  restart: 1012,
  /** Too many sessions: try again later. */
  busy: 1013,
  /** A message that the protocol does not have. */
  protocol: 4400,
  /** `authenticate` refused the user. */
  unauthorized: 4401,
  /** The page's origin is not allowed. */
  origin: 4403,
  /** Nothing came from the client for too long. */
  idle: 4408,
  /** Another connection continues the session. */
  replaced: 4409,
  /** The session reached its longest time. */
  tooLong: 4410,
  /** A frame is larger than allowed. */
  tooLarge: 4413,
  /** Audio came faster than it can be spoken. */
  tooFast: 4429,
  /** The client does not read what it is sent. */
  tooSlow: 4430,
  /** The pipeline failed. */
  failed: 4500,
}
