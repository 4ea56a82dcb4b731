import type { AigcMetadata, DialogueModel, Open, SpeechModel, TranscriptionModel } from '@svc-audio/core/interface'
import type { PureAudioClient } from '@svc-audio/core'
import type { BudgetStore } from '../run/budget-store.ts'
import type { AudioStore } from '../store/audio-store.ts'

/** The tools, by the names that models see unless `names` says otherwise. */
export const SPEECH_TOOLS = [
  'speak',
  'transcribe',
  'read_transcript',
  'start_transcription',
  'get_transcription',
  'list_voices',
  'speak_dialogue',
  'design_voice',
  'clone_voice',
] as const

/** One of the tools. */
export type SpeechToolName = (typeof SPEECH_TOOLS)[number]

/** A voice that a model may choose. */
export interface VoiceChoice {
  /** Names the voice to the model: 1 to 64 letters, digits, spaces, underscores or hyphens. */
  readonly name: string
  /** Id of the voice at the service. The model chooses by `name`, which is the id for a voice of `serviceVoices`. */
  readonly voice_id: string
  /** BCP 47 tag of the language of the voice, e.g. `de`, for the model. @default unknown */
  readonly language?: string
  /** Use of the voice, for the model. */
  readonly description?: string
}

/** Settings of one run. They replace the options. */
export interface RunOverrides {
  /**
   * The user whose run this is. Stores keep users apart by it: no tool opens audio, transcripts or tasks of another
   * user. Must be a non-empty string if the property is there.
   */
  readonly user?: string | undefined
  /** The user's own client, with the user's key. */
  readonly client?: PureAudioClient | undefined
  /** The voice of this run. @default that of the options */
  readonly voice_id?: string | undefined
  /** Marking of the audio of this run. @default that of the options */
  readonly aigc_metadata?: AigcMetadata | undefined
}

/** What each user may use in a day, in all processes that share the store. The day is that of UTC. */
export interface DailyBudget {
  /** Where the use is counted, e.g. `memoryBudgetStore()`, or a few lines over your database. */
  readonly store: BudgetStore
  /** Maximum characters of speech. @default no limit */
  readonly maxCharacters?: number
  /** Maximum seconds of transcribed audio, as far as their length is known. @default no limit */
  readonly maxAudioSeconds?: number
}

/** The call that names a URL. */
export interface UrlCall {
  /** The run's own context, as `forRun` gets it. */
  readonly context: unknown
  /** The user that `forRun` names. */
  readonly user: string | undefined
}

/** Decides whether a public https URL may be transcribed. */
export type UrlPolicy = (url: URL, call: UrlCall) => boolean | Promise<boolean>

/** Options of the application: everything that a model must not choose. */
export interface SpeechToolsOptions {
  /** The client, which holds key and address. The caller closes it. */
  readonly client: PureAudioClient
  /** The voice of `speak`. */
  readonly voice_id: string
  /** Where audio is stored, e.g. `folderAudioStore('./audio')`. */
  readonly store: AudioStore
  /**
   * User, client, voice and marking of a run, from the run's own context (LangChain: `runtime.context`). It is called
   * for each tool call; nothing of its result is stored in messages or state.
   */
  readonly forRun?: (context: unknown) => RunOverrides
  /**
   * The tools to make.
   * @default speak, transcribe, read_transcript, start_transcription, get_transcription; with `voices` or `serviceVoices`
   * also list_voices and speak_dialogue
   */
  readonly tools?: readonly SpeechToolName[]
  /** Voices that a model may choose by name in `speak` and `speak_dialogue`. @default none: `voice_id` speaks */
  readonly voices?: readonly VoiceChoice[]
  /** Whether a model may find and use every voice of the service, by its id. @default false */
  readonly serviceVoices?: boolean
  /** Model of `speak`. @default 'svc-tts-1.5-flash' */
  readonly model?: Open<SpeechModel>
  /** Model of transcriptions. The diarizing one gives the model lines with speakers. @default 'svc-transcribe-1.0' */
  readonly transcriptionModel?: Open<TranscriptionModel>
  /** Model of transcriptions with named speakers and of subtitles. @default 'svc-transcribe-diarize-pro' */
  readonly speakerModel?: Open<TranscriptionModel>
  /** Model of `speak_dialogue`. @default 'svc-ttsd-1.0' */
  readonly dialogueModel?: Open<DialogueModel>
  /** Model of `design_voice`. @default 'svc-voice-generator-1.0' */
  readonly voiceModel?: string
  /** An implicit AIGC marking for the audio of `speak` and `speak_dialogue`. @default none */
  readonly aigc_metadata?: AigcMetadata
  /** Whether Markdown and emoji are taken out of a text before it is spoken. @default true */
  readonly speakable?: boolean
  /** Maximum characters (UTF-16 units) of text in one call. @default 4000 */
  readonly maxCharacters?: number
  /** Maximum characters of text in all calls of one run. @default no limit */
  readonly maxCharactersPerRun?: number
  /** Longest audio of one transcription, in seconds, where the length can be read before sending. @default no limit */
  readonly maxAudioSeconds?: number
  /** Maximum seconds of audio that the transcriptions of one run may take, where their length is known. @default no limit */
  readonly maxAudioSecondsPerRun?: number
  /**
   * What the user that `forRun` names may use in a day. Runs without a user share one budget.
   * @default no limit
   */
  readonly dailyBudget?: DailyBudget
  /** Maximum characters of a transcript in one answer to the model. @default 8000 */
  readonly maxContentCharacters?: number
  /**
   * Which public https URLs are transcribed. The service fetches them. A model that reads text of strangers can be talked
   * into telling a URL what it knows: set `false`, or `'from-user'` for addresses that stand in the messages of the user,
   * or a function that decides. The prompt of a sub-agent is not the user's in LangChain. The AI SDK does not tell it from
   * the user's: give such agents tools without URLs. @default true, all of them
   */
  readonly allowUrls?: boolean | 'from-user' | UrlPolicy
  /** Hosts whose URLs are transcribed, e.g. `example.com`, or `*.example.com` for those below it. @default every host */
  readonly urlHosts?: readonly string[]
  /**
   * A folder whose audio files may be transcribed by path, subfolders included; a link that leads out is refused.
   * @default none: no path is ever opened
   */
  readonly allowedRoot?: string
  /** Names of tools for the model. @default each tool's own name */
  readonly names?: { readonly [Tool in SpeechToolName]?: string }
}

/** Options without a default value. */
export type OptionalSpeechToolsOption =
  | 'allowedRoot'
  | 'forRun'
  | 'aigc_metadata'
  | 'maxCharactersPerRun'
  | 'maxAudioSeconds'
  | 'maxAudioSecondsPerRun'
  | 'dailyBudget'

/** {@link SpeechToolsOptions} with every default filled in. */
export type ResolvedOptions = Required<Omit<SpeechToolsOptions, OptionalSpeechToolsOption | 'names' | 'allowUrls'>> & {
  readonly [Option in OptionalSpeechToolsOption]: SpeechToolsOptions[Option] | undefined
} & {
  /** Whether URLs are transcribed at all. */
  readonly allowUrls: boolean
  /** Which of them. `undefined` for all. */
  readonly urlPolicy: 'from-user' | UrlPolicy | undefined
  /** Name of each tool for the model. */
  readonly names: Readonly<Record<SpeechToolName, string>>
  /** Whether a call may name files by path: of `allowedRoot`, or of folders that come with the call. */
  readonly paths: boolean
  /** Milliseconds after which a transcription becomes a task. `undefined` for calls that wait to its end. */
  readonly taskAfter: number | undefined
}
