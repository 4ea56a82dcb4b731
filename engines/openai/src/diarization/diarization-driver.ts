import { encodeWav } from '@svc-audio/core/audio'
import {
  type Diarization,
  DIARIZATION_SAMPLE_RATE,
  type DiarizationDriver,
  type DiarizationEngine,
  EngineClosedError,
  EngineFailedError,
} from '@svc-audio/engine-ports'
import { cancellableSource } from '@svc-audio/engine-ports/driver'
import { findSpeech, PcmReader, UtteranceSplitter } from '@svc-audio/engine-ports/listening'
import { z } from 'zod'
import type { DiarizationKeys } from '../keys.ts'
import { untilHeard } from '../recognition/patience.ts'
import { formBody, readJson, type Upstream } from '../upstream.ts'
import { joinWindows, type SpeakerWindow } from './join-windows.ts'

const FORMAT = { sampleRate: DIARIZATION_SAMPLE_RATE, channels: 1, bitDepth: 16 } as const

/** Time that two requests for one recording share, in seconds: a minute, or a quarter of a short request. */
const OVERLAP_SECONDS = 60

const Answer = z.object({
  segments: z.array(z.object({ start: z.number(), end: z.number(), speaker: z.union([z.string(), z.number()]) })),
})

/** Makes the diarization driver of an entry. */
export function diarizationDriver(name: string, keys: DiarizationKeys, upstream: Upstream): DiarizationDriver {
  return { name, create: async () => new UpstreamDiarization(name, keys, upstream) }
}

class UpstreamDiarization implements DiarizationEngine {
  readonly name: string
  readonly #keys: DiarizationKeys
  readonly #upstream: Upstream
  readonly #closing = new AbortController()

  constructor(name: string, keys: DiarizationKeys, upstream: Upstream) {
    this.name = name
    this.#keys = keys
    this.#upstream = upstream
  }

  async diarize(pcm: AsyncIterable<Uint8Array>, options: { readonly signal?: AbortSignal } = {}): Promise<Diarization> {
    const signal = AbortSignal.any([options.signal, this.#closing.signal].filter((one) => one !== undefined))
    const reader = new PcmReader(cancellableSource(pcm, signal))
    const recording = new Windows(this.#keys.maxSeconds)
    const windows: SpeakerWindow[] = []
    try {
      signal.throwIfAborted()
      for (let block = await reader.next(); block !== undefined; block = await reader.next()) {
        for (const window of recording.push(block)) windows.push(await this.#hear(window, signal))
      }
      for (const window of recording.end()) windows.push(await this.#hear(window, signal))
      return { segments: joinWindows(windows), durationSeconds: recording.seconds }
    } finally {
      reader.leave()
    }
  }

  async close(): Promise<void> {
    this.#closing.abort(new EngineClosedError(this.name))
  }

  async #hear({ samples, startSecond }: Window, signal: AbortSignal): Promise<SpeakerWindow> {
    const endSecond = startSecond + samples.length / DIARIZATION_SAMPLE_RATE
    // Silence has no speakers, and costs nothing.
    const heard = hasSpeech(samples) ? await untilHeard(() => this.#send(samples, signal), signal) : []
    const segments = heard
      .map(({ start, end, speaker }) => ({
        startSecond: startSecond + Math.max(0, start),
        endSecond: Math.min(endSecond, startSecond + end),
        speaker: String(speaker),
      }))
      .filter((segment) => segment.endSecond > segment.startSecond)
    return { startSecond, endSecond, segments }
  }

  async #send(samples: Int16Array<ArrayBuffer>, signal: AbortSignal): Promise<z.infer<typeof Answer>['segments']> {
    const { model, path, extra = {} } = this.#keys
    const wav = encodeWav(FORMAT, [new Uint8Array(samples.buffer, samples.byteOffset, samples.byteLength)])
    const body = await formBody([...Object.entries(extra), ['model', model], ['response_format', 'json']], wav)
    const response = await this.#upstream.send({ method: 'POST', path, body, signal })
    try {
      const parsed = Answer.safeParse(await readJson(this.name, response))
      if (parsed.success) return parsed.data.segments
      throw new EngineFailedError(`${this.name} answered JSON without speakers: check diarization.path`)
    } catch (error) {
      response.body.cancel()
      signal.throwIfAborted()
      throw this.#upstream.explain(error)
    }
  }
}

/** A part of a recording that one request gets. */
interface Window {
  readonly samples: Int16Array<ArrayBuffer>
  readonly startSecond: number
}

function hasSpeech(samples: Int16Array): boolean {
  const splitter = new UtteranceSplitter({ maxSeconds: 25, pauseSeconds: 0.4 })
  for (const utterance of splitter.push(samples)) if (findSpeech(utterance.samples) !== undefined) return true
  for (const utterance of splitter.end()) if (findSpeech(utterance.samples) !== undefined) return true
  return false
}

/** Cuts a recording into windows that overlap. Memory holds one of them. */
class Windows {
  readonly #size: number
  readonly #overlap: number
  #held: Int16Array<ArrayBuffer>
  #length = 0
  #start = 0
  /** End of the last window, in samples of the recording. */
  #lastEnd = 0
  #samples = 0

  constructor(maxSeconds: number) {
    this.#size = Math.floor(maxSeconds * DIARIZATION_SAMPLE_RATE)
    this.#overlap = Math.floor(Math.min(OVERLAP_SECONDS, maxSeconds / 4) * DIARIZATION_SAMPLE_RATE)
    this.#held = new Int16Array(Math.min(this.#size, 60 * DIARIZATION_SAMPLE_RATE))
  }

  /** Length of the recording so far. */
  get seconds(): number {
    return this.#samples / DIARIZATION_SAMPLE_RATE
  }

  *push(block: Int16Array): Generator<Window> {
    this.#samples += block.length
    for (let at = 0; at < block.length;) {
      if (this.#length === this.#size) yield this.#take()
      const more = block.subarray(at, at + this.#size - this.#length)
      this.#add(more)
      at += more.length
    }
  }

  *end(): Generator<Window> {
    // A rest that the last window has already is no window.
    if (this.#start + this.#length > this.#lastEnd) yield this.#take()
  }

  #add(more: Int16Array): void {
    if (this.#length + more.length > this.#held.length) {
      const grown = new Int16Array(Math.min(this.#size, 2 * (this.#length + more.length)))
      grown.set(this.#held.subarray(0, this.#length))
      this.#held = grown
    }
    this.#held.set(more, this.#length)
    this.#length += more.length
  }

  #take(): Window {
    const window = {
      samples: this.#held.slice(0, this.#length),
      startSecond: this.#start / DIARIZATION_SAMPLE_RATE,
    }
    this.#lastEnd = this.#start + this.#length
    this.#held.copyWithin(0, this.#length - this.#overlap, this.#length)
    this.#start = this.#lastEnd - this.#overlap
    this.#length = this.#overlap
    return window
  }
}
