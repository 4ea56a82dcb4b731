import { type TaskKind, type TaskUsage, USAGE_OF_TASKS } from './task-kinds.ts'

/** The usage of an engine of the file: its work and its name. Its `requests` are the calls of the engine. */
export type EngineUsage = `${'speech' | 'recognition' | 'diarization'}@${string}`

/**
 * A kind of usage: that of a task, or another one. `storage` has only `storedBytes`. `other` has only `requests`. The
 * work of an engine is counted under its own kind too, and belongs to no sum of the others.
 */
export type UsageKind = TaskUsage | 'voices' | 'files' | 'storage' | 'other' | EngineUsage

/** Tells the work of an engine from the other kinds. */
export function isEngineUsage(kind: UsageKind): kind is EngineUsage {
  return kind.includes('@')
}

/** Returns the kind of a task in usage. @param kind `object` of the task on the wire. */
export function usageKindOf(kind: TaskKind): TaskUsage {
  return USAGE_OF_TASKS[kind]
}

/** The counted work of one call or task. Lengths of media are whole milliseconds. */
export interface Work {
  /** Characters of spoken text, as the limit of `input` counts them. */
  readonly characters: number
  /** Length of the speech made. */
  readonly speechMs: number
  /** Length of the recording recognized. */
  readonly recordingMs: number
}

/** Everything that is counted. */
export interface UsageAmounts extends Work {
  /** Successful requests. */
  readonly requests: number
  /** Tasks that succeeded, streams included. */
  readonly succeeded: number
  /** Tasks that failed, cancelled and cut ones included. */
  readonly failed: number
  /** Newly stored bytes. */
  readonly storedBytes: number
}

/** The amounts of a tenant, a day and a kind. */
export interface UsageRow extends UsageAmounts {
  readonly tenant: string
  /** In UTC: `2026-11-22`. */
  readonly day: string
  readonly kind: UsageKind
}

/** Nothing. */
export const NO_USAGE: UsageAmounts = {
  requests: 0,
  succeeded: 0,
  failed: 0,
  characters: 0,
  speechMs: 0,
  recordingMs: 0,
  storedBytes: 0,
}

/** Adds amounts. */
export function addAmounts(one: UsageAmounts, other: Partial<UsageAmounts>): UsageAmounts {
  return {
    requests: one.requests + (other.requests ?? 0),
    succeeded: one.succeeded + (other.succeeded ?? 0),
    failed: one.failed + (other.failed ?? 0),
    characters: one.characters + (other.characters ?? 0),
    speechMs: one.speechMs + (other.speechMs ?? 0),
    recordingMs: one.recordingMs + (other.recordingMs ?? 0),
    storedBytes: one.storedBytes + (other.storedBytes ?? 0),
  }
}

/** Returns the day of a time in UTC. @param now Milliseconds since 1970. */
export function dayOf(now: number): string {
  return new Date(now).toISOString().slice(0, 10)
}

/** The work and the ended tasks of this process since its start, for metrics. Lengths of media are seconds. */
export class WorkTotals {
  characters = 0
  speechSeconds = 0
  recordingSeconds = 0
  succeeded = 0
  failed = 0
  /** Starts of tasks. */
  attempts = 0
  /** Leases that ended while their task was in work: it was cancelled, or another worker has it. */
  lostLeases = 0
  /** Claims of tasks, those that found none too. */
  readonly claims: CallTimes = new CallTimes()
  /** Calls of webhooks, by what comes next. */
  readonly webhookCalls = { delivered: 0, retried: 0, failed: 0 }
}

/** Measures the work of a call while it is done. */
export class WorkMeter {
  readonly #totals: WorkTotals

  #characters = 0
  #speechSeconds = 0
  #recordingSeconds = 0

  /** @param totals Receives the work too. */
  constructor(totals: WorkTotals = new WorkTotals()) {
    this.#totals = totals
  }

  /** Notes that the engine has accepted a text. */
  speak(characters: number): void {
    this.#totals.characters += characters
    this.#characters += characters
  }

  /** Notes speech that was made. */
  madeSpeech(seconds: number): void {
    this.#totals.speechSeconds += seconds
    this.#speechSeconds += seconds
  }

  /** Notes a part of a recording that was recognized. */
  recognized(seconds: number): void {
    this.#totals.recordingSeconds += seconds
    this.#recordingSeconds += seconds
  }

  /** The work so far. */
  get work(): Work {
    return {
      characters: this.#characters,
      speechMs: Math.round(this.#speechSeconds * 1000),
      recordingMs: Math.round(this.#recordingSeconds * 1000),
    }
  }
}

/** Numbers about calls of a database. */
interface CallNumbers {
  readonly count: number
  readonly seconds: number
  /** Since the last read. */
  readonly slowestSeconds: number
}

/** Counts calls of a database, such as commits and claims, and their time. */
export class CallTimes {
  #count = 0
  #milliseconds = 0
  #slowest = 0

  note(milliseconds: number): void {
    this.#count += 1
    this.#milliseconds += milliseconds
    this.#slowest = Math.max(this.#slowest, milliseconds)
  }

  read(): CallNumbers {
    const slowestSeconds = this.#slowest / 1000
    this.#slowest = 0
    return { count: this.#count, seconds: this.#milliseconds / 1000, slowestSeconds }
  }
}
