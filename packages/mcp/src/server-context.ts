import type { AuthInfo } from '@modelcontextprotocol/sdk/server/auth/types.js'
import type { RequestHandlerExtra } from '@modelcontextprotocol/sdk/shared/protocol.js'
import type { ServerNotification, ServerRequest } from '@modelcontextprotocol/sdk/types.js'
import type { CreatedOperations, SpeechToolError } from '@svc-audio/agent-tools'
import type { AudioPlayer } from './player.ts'

/** How a client gets spoken audio. */
export const AUDIO_OUTPUTS = ['reference', 'file', 'resource', 'audio'] as const

/** How a client gets spoken audio: see the option `output`. */
export type AudioOutput = (typeof AUDIO_OUTPUTS)[number]

/** A failed call, for the operator. */
export interface SpeechServerFailure {
  /** The tool's name. */
  readonly tool: string
  /** Its message is the model's, its `cause` the original error. */
  readonly error: SpeechToolError
}

/** Options of a server beside those of its tools. */
export interface ServerSettings {
  /**
   * How a client gets spoken audio. Every answer has the reference and a link to the resource. `file` adds the path,
   * for clients on the same machine. `resource` and `audio` add the audio itself in Base64, up to 8 MB.
   * @default 'reference'
   */
  readonly output?: AudioOutput
  /** Plays audio on the user's machine by the tool `play`, e.g. `await findPlayer()`. @default none: there is no tool `play` */
  readonly player?: AudioPlayer | undefined
  /**
   * Whether audio files inside the folders that the client names as its roots may be transcribed. Only for a client that
   * runs on this machine as the same user: any other could name any folder.
   * @default false; true for `serveStdio`
   */
  readonly clientRoots?: boolean
  /**
   * Milliseconds after which a transcription becomes a task: the call returns, and `get_transcription` waits for the
   * transcript. Desktop clients end a call after 60 seconds. It needs the tool `get_transcription`.
   * @default 40_000
   */
  readonly taskAfter?: number
  /** Called for each failed call, for a log. An abort is no failure. */
  readonly onFailure?: (failure: SpeechServerFailure) => void
}

/** One server: its tools, and its settings with the defaults. */
export interface ServerContext {
  readonly created: CreatedOperations
  readonly output: AudioOutput
  readonly player: AudioPlayer | undefined
  readonly onFailure: ((failure: SpeechServerFailure) => void) | undefined
  /** Folders that the client shares. */
  readonly roots: (signal: AbortSignal) => Promise<readonly string[]>
  /** Names calls of one client that has no session. */
  readonly client: object
}

/** Second argument of the SDK's handlers. */
export type Extra = RequestHandlerExtra<ServerRequest, ServerNotification>

/** Context of a run, for `forRun` and for your own stores. */
export interface McpRunContext {
  /** The MCP session, over HTTP. */
  readonly sessionId: string | undefined
  /** Result of the transport's authentication. */
  readonly authInfo: AuthInfo | undefined
}

/** The run's context of a request. */
export function runContext({ sessionId, authInfo }: Pick<Extra, 'sessionId' | 'authInfo'>): McpRunContext {
  return { sessionId, authInfo }
}
