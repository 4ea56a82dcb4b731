import type { Clock, ClockOffset } from './domain/clock.ts'
import type { CallTimes, WorkTotals } from './domain/usage.ts'
import type { RunningTasks, StalledWork } from './domain/running-tasks.ts'
import type { ResultLinks } from './domain/result-links.ts'
import type { Outage } from './domain/outage.ts'
import type { UploadsInFlight } from './domain/uploads-in-flight.ts'
import type { WebhookPolicy } from './domain/url-policies.ts'
import type { KeysInFlight, ResponseStore } from './ports/response-store.ts'
import type { AudioFetcher } from './ports/audio-fetcher.ts'
import type { AuditStore } from './ports/audit-store.ts'
import type { Backlog, TaskStore } from './ports/task-store.ts'
import type { Codec, LiveDetectors, SampleAnalyser, VoiceDesigner } from '@svc-audio/engine-ports'
import type { Dispatch, LeaderLock, RequestCounter } from './ports/processes.ts'
import type {
  EngineName,
  EngineState,
  EngineHooks,
  NamedEngineState,
  ServedDiarization,
  ServedRecognition,
  ServedSpeech,
} from './ports/engines.ts'
import type { DatabaseConnections, StoreMetricsReader } from './ports/store-metrics.ts'
import type { FileStore } from './ports/file-store.ts'
import type { KeyStore } from './ports/key-store.ts'
import type { ScratchSpace, StorageHealth, StorageReserve } from './ports/disk.ts'
import type { Tracer } from './ports/tracer.ts'
import type { TenantObjects } from './ports/object-store.ts'
import type { UsageNotes, UsageStore } from './ports/usage-store.ts'
import type { VoiceStore } from './ports/voice-store.ts'
import type { WebhookOutbox, WebhookSecrets, WebhookSender } from './ports/webhook-outbox.ts'
import type { FairPlaces } from './domain/fair-semaphore.ts'

/** The set of ports that routes and use cases receive, in five groups. */
export interface Services {
  readonly engines: EngineServices
  readonly stores: StoreServices
  readonly objects: ObjectServices
  readonly settings: ServiceSettings
  readonly runtime: RuntimeServices
}

/** Some members of the {@link Services}, with their groups, e.g. `Using<'stores.tasks' | 'runtime.log'>`. */
export type Using<Path extends ServicePath> =
  // The condition makes the compiler compare members: it would compare the names of two such types.
  [Path] extends [never]
    ? never
    : {
        readonly [Group in keyof Services as Path extends `${Group}.${string}` ? Group : never]: Pick<
          Services[Group],
          MemberOf<Path, Group>
        >
      }

/** Group and name of a member. */
type ServicePath = { [Group in keyof Services]: `${Group}.${keyof Services[Group] & string}` }[keyof Services]

type MemberOf<Path, Group extends keyof Services> = Path extends `${Group}.${infer Name}`
  ? Extract<keyof Services[Group], Name>
  : never

/** The engines, and what bounds their work. */
export interface EngineServices {
  readonly speech: ServedSpeech
  readonly recognition: ServedRecognition
  readonly diarization: ServedDiarization
  /** Measures voice samples. */
  readonly analyser: SampleAnalyser
  /** Finds the parameters of voices. */
  readonly designer: VoiceDesigner
  /** Finds speech in live recordings. */
  readonly detectors: LiveDetectors
  /** Adds to the work of the engines. Without a file of engines, hooks learn of no work. */
  readonly addHooks: (listener: EngineHooks) => void
  /** State of each engine. */
  readonly states: Readonly<Record<EngineName, EngineState>>
  /** State of each engine of the file of engines and of the bundled ones. Empty without a file. */
  readonly named: readonly NamedEngineState[]
  /**
   * Limits of the threads of each engine, of the encoders and of fetches, and of all `processing` at once, shared
   * fairly between tenants. Work takes a slot of its kind first, and then one of `processing` for each piece.
   */
  readonly semaphores: Readonly<Record<EngineName | 'analysis' | 'encoding' | 'fetching' | 'processing', FairPlaces>>
  readonly codec: Codec
  /** The program that encodes and decodes now: `system`, `wasm` or `none`, and its version. */
  readonly codecInUse: () => { readonly launcher: string; readonly version?: string }
  /** Bytes of memory of the engine processes, by name. A process that does not run has 0. */
  readonly memory: () => Readonly<Record<string, number>>
  /**
   * Starts a measurement of the engines' processes. The returned function tells the smallest share of the time since
   * its last call that one of them was given, from 0 to 1: the rest it waited for a processor.
   */
  readonly measureShare: () => () => number
}

/** The rows, of one machine or of a cluster. */
export interface StoreServices {
  readonly keys: KeyStore
  readonly tasks: TaskStore
  /** How long tasks wait. */
  readonly backlog: Backlog
  /** The voices that tenants created. */
  readonly voices: VoiceStore
  /** Stored responses of requests with an idempotency key. */
  readonly responses: ResponseStore
  readonly files: FileStore
  readonly audit: AuditStore
  readonly usage: UsageStore
  readonly outbox: WebhookOutbox
  readonly secrets: WebhookSecrets
  readonly metrics: StoreMetricsReader
  readonly keysInFlight: KeysInFlight
  readonly dispatch: Dispatch
  /** Work that at most one process does at a time. */
  readonly leaderLock: LeaderLock
  /** Counts the requests of a cluster. Unset on one machine, where the process counts its own. */
  readonly requestCounter?: RequestCounter
  /** Whether other processes use the same stores. */
  readonly shared: boolean
  /** Stores, reads and deletes an object, where the stores are on other machines. Throws while a store does not work. */
  readonly probe: () => Promise<void>
  /** Reads the time of the database, in milliseconds since 1970: every process of a cluster has the same. */
  readonly time: () => Promise<number>
  /** The connections of this process to a database server. Unset without one. */
  readonly connections?: () => DatabaseConnections
  /** The commits of this process's database. A cluster's database commits elsewhere. */
  readonly commitTimes: CallTimes
}

/** The audio, and the disk below it. */
export interface ObjectServices {
  /** Finished audio, by name. */
  readonly results: TenantObjects
  /** Inputs of open tasks, by name. */
  readonly inputs: TenantObjects
  /** The bytes of uploaded files, by id. */
  readonly uploads: TenantObjects
  readonly links: ResultLinks
  /** Disk space reserved for deletes. */
  readonly reserve: StorageReserve
  /** State of the disk of the stores. */
  readonly health: StorageHealth
  /** Folders that had lost their objects at the start. */
  readonly lost: readonly string[]
  /** Free bytes on the disk of the stores. */
  readonly freeBytes: () => Promise<number>
  /** Space for fetched files, in the same folder as uploads. */
  readonly scratch: ScratchSpace
  readonly inFlight: UploadsInFlight
  /** Folder of uploads in flight. */
  readonly uploadFolder: string
}

/** Settings that requests meet. */
export interface ServiceSettings {
  /** Longest `input`, in characters. */
  readonly maxInputCharacters: number
  /** Longest speech of one request, in seconds. `Infinity` for no limit. */
  readonly maxOutputSeconds: number
  /** Largest uploaded file, in bytes. */
  readonly maxUploadBytes: number
  /** Maximum open tasks per tenant. `Infinity` for no limit. */
  readonly openTasksPerTenant: number
  /** Longest time of a task without progress, in milliseconds, beyond ten times the estimated time of its step. */
  readonly taskPatience: number
  /** Whether a successful transcription deletes its uploaded file. */
  readonly deleteAfterSuccess: boolean
  readonly webhooks: WebhookPolicy
  readonly openai: OpenaiSettings
}

/** Settings of the OpenAI API. */
export interface OpenaiSettings {
  /** Whether Markdown, addresses and emoji are read as a reader would read them. */
  readonly readsMarkdown: boolean
  /** Ids of voices by further names. */
  readonly aliases: ReadonlyMap<string, string>
  /** Shape of the list of voices. */
  readonly voiceList: 'objects' | 'names'
}

/** What belongs to this process. */
export interface RuntimeServices {
  readonly clock: Clock
  readonly clockOffset: ClockOffset
  readonly log: Log
  readonly tracer: Tracer
  /** Aborts when the stop timeout has passed after the service was stopped. */
  readonly stopping: AbortSignal
  /** The tasks that this process works on. */
  readonly running: RunningTasks
  /** The tasks of this process that made no progress. */
  readonly stalled: StalledWork
  /** The last outage of a store. */
  readonly outage: Outage
  /** The work of this process. */
  readonly totals: WorkTotals
  /** Counts calls without a task. */
  readonly usageCounter: UsageNotes
  readonly fetcher: AudioFetcher
  readonly sender: WebhookSender
}

/** The log. */
export interface Log {
  error(details: object, message: string): void
  warn(details: object, message: string): void
  info(details: object, message: string): void
}
