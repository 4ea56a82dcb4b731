import type { AigcMetadata } from '@svc-audio/core/interface'
import { type CallOptions, ConfigurationError, type PureAudioClient } from '@svc-audio/core'
import { object, optional, type OptionRule, text } from '#options'
import { NOT_AGAIN, SpeechToolError, type Spent } from '../errors/speech-tool-error.ts'
import { checkOptions, toolClient } from '../options/resolve-options.ts'
import type { ResolvedOptions, RunOverrides } from '../options/speech-tools-options.ts'
import type { StoreAccess } from '../store/audio-store.ts'

/** Progress of a call. */
export interface SpeechToolProgress {
  /** Tells it from other events of a stream. */
  readonly type: 'speech_tool_progress'
  /** The tool's name. */
  readonly tool: string
  /** `sending` audio to the service, or `receiving` speech from it. */
  readonly phase: 'sending' | 'receiving'
  /** Bytes so far. */
  readonly bytes: number
  /** Bytes in all, where they are known. */
  readonly totalBytes?: number
}

/**
 * Names of one run. A framework may know the same run by several: a message before an interrupt, a signal after it.
 * Objects are compared by identity.
 */
export type RunKey = string | object | readonly (string | object)[]

/** Context of one tool call, from the framework. */
export interface ToolCallContext {
  /** Stops the call, which rejects with its reason. @default nothing stops it */
  readonly signal?: AbortSignal | undefined
  /** The run's own context, for `forRun` and stores. */
  readonly context?: unknown
  /** Identifies the run, for budgets per run. @default all calls of these tools are one run */
  readonly run?: RunKey | undefined
  /**
   * Folders whose audio files the caller may name by path, beside `allowedRoot`: those of a person who runs this program.
   * @default none
   */
  readonly roots?: (() => Promise<readonly string[]>) | undefined
  /** Texts that the user wrote in this conversation, for `allowUrls: 'from-user'`. @default none are known */
  readonly userTexts?: (() => readonly string[]) | undefined
  /** Called while bytes move, for a progress bar. @default nobody is told */
  readonly onProgress?: ((progress: SpeechToolProgress) => void) | undefined
}

/** One call with everything that holds for it. */
export interface RunScope {
  readonly options: ResolvedOptions
  readonly client: PureAudioClient
  readonly voice_id: string
  readonly aigc_metadata: AigcMetadata | undefined
  readonly signal: AbortSignal | undefined
  /** For calls of the client. */
  readonly call: CallOptions
  /** For calls of the store. */
  readonly access: StoreAccess
  readonly run: RunKey | undefined
  /** What the call has spent so far. Budgets write it. */
  readonly spending: { spent: Spent | undefined }
  /** What the user wrote. */
  readonly userTexts: () => readonly string[]
  /** Folders whose audio files may be transcribed by path. */
  readonly roots: () => Promise<readonly string[]>
  readonly progress: (phase: SpeechToolProgress['phase'], bytes: number, totalBytes?: number) => void
}

/** @throws SpeechToolError `misconfigured` when `forRun` throws or its result cannot be used */
export function scopeOf(tool: string, options: ResolvedOptions, context: ToolCallContext): RunScope {
  const { signal, run, roots, userTexts = () => [], onProgress } = context
  const overrides = overridesOf(options, context.context)
  const { user, client = options.client, voice_id = options.voice_id } = overrides
  return {
    options,
    client,
    voice_id,
    aigc_metadata: overrides.aigc_metadata ?? options.aigc_metadata,
    signal,
    call: { signal },
    access: { signal, user, context: context.context },
    run,
    spending: { spent: undefined },
    userTexts,
    roots: async () => [
      ...(options.allowedRoot === undefined ? [] : [options.allowedRoot]),
      ...((await roots?.()) ?? []),
    ],
    progress: (phase, bytes, totalBytes) =>
      onProgress?.({
        type: 'speech_tool_progress',
        tool,
        phase,
        bytes,
        ...(totalBytes === undefined ? {} : { totalBytes }),
      }),
  }
}

/** A missing user must not share the audio of runs without a user, so `user` is checked if it is there at all. */
const OVERRIDES: Readonly<Record<keyof RunOverrides, OptionRule>> = {
  user: optional(text),
  client: optional(toolClient),
  voice_id: optional(text),
  aigc_metadata: optional(object),
}

function overridesOf({ forRun }: ResolvedOptions, context: unknown): RunOverrides {
  if (forRun === undefined) return {}
  try {
    const overrides = forRun(context)
    // A promise has no own fields: every user would count as none.
    if (overrides instanceof Promise)
      throw new ConfigurationError(
        'forRun returned a promise. It must return an object: load asynchronous values before the run',
      )
    checkOptions(overrides, 'user' in overrides ? { ...OVERRIDES, user: text } : OVERRIDES)
    return overrides
  } catch (error) {
    throw new SpeechToolError('misconfigured', `This tool is not set up for this user. ${NOT_AGAIN}`, { cause: error })
  }
}
