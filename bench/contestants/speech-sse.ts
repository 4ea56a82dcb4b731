import { createHash, randomFillSync } from 'node:crypto'
import type { ResponseBody } from '@svc-audio/core/pure'
import { median } from '../harness/bench-case.ts'
import { ownCpuSeconds } from '../harness/process-costs.ts'
import type { Contestant } from '../harness/processes.ts'

/** Shape of a speech stream. */
export interface SpeechShape {
  /** PCM bytes of one `speech.audio.delta`. */
  readonly deltaBytes: number
  readonly deltas: number
  /** Bytes of one network chunk. */
  readonly chunkBytes: number
}

/** Timed passes of a process. */
const PASSES = 3

/** Reads a speech stream and passes its PCM on, in order. */
type Decode = (body: AsyncIterable<Uint8Array>, onAudio: (pcm: Uint8Array) => void) => Promise<void>

/**
 * Decoders of a speech stream. They return CPU seconds of one pass, the median.
 * @throws Error when the decoded audio differs
 */
export const contestants = {
  /** Core's parts by hand: events, then their audio. */
  decoder: async () => {
    const { decodeDelta, fastDelta, parseEvent, SseDecoder } = await import('@svc-audio/core/streaming')
    const readOther = (data: Uint8Array, onAudio: (pcm: Uint8Array) => void): void => {
      const event = parseEvent(data)
      if (event.type === 'speech.audio.delta') onAudio(decodeDelta(event['audio']))
    }
    return timed(async (body, onAudio) => {
      const decoder = new SseDecoder()
      for await (const chunk of body) {
        for (const data of decoder.feed(chunk)) {
          const audio = fastDelta(data)
          if (audio === undefined) readOther(data, onAudio)
          else onAudio(audio)
        }
      }
    })
  },
  /** Core's whole path, from the client's method to the PCM of its `SpeechStream`. */
  stream: async () => {
    const { PureAudioClient } = await import('@svc-audio/core/pure')
    return timed(async (body, onAudio) => {
      const response: ResponseBody = {
        [Symbol.asyncIterator]: () => body[Symbol.asyncIterator](),
        cancel: () => {},
        release: () => {},
      }
      const client = new PureAudioClient({
        apiKey: 'bench',
        baseUrl: 'http://127.0.0.1',
        // No network and no deadlines: only reading the stream is measured.
        transport: {
          send: async () => ({ status: 200, headers: { 'content-type': 'text/event-stream' }, body: response }),
        },
        clock: { now: () => 0, setTimer: () => () => {} },
      })
      const speech = await client.speech.stream({ model: 'svc-tts-1.5-flash', input: 'Hello' })
      for await (const pcm of speech) onAudio(pcm)
      if (!speech.complete) throw new Error('The stream is not complete')
    })
  },
  /** Lines of one fixed spelling, without JSON or checks. It can read only this stream. */
  limit: async () => {
    const start = Buffer.from('data: {"type":"speech.audio.delta","audio":"')
    const endBytes = '"}'.length
    return timed((body, onAudio) =>
      eachLine(body, (line) => {
        if (line.length < start.length || !line.subarray(0, start.length).equals(start)) return
        onAudio(Buffer.from(line.toString('latin1', start.length, line.length - endBytes), 'base64'))
      }),
    )
  },
  /** The same lines with `JSON.parse`: the cost of parsing the JSON of every event. */
  'JSON.parse': async () =>
    timed((body, onAudio) =>
      eachLine(body, (line) => {
        if (line.length === 0) return
        // The benchmark made the stream.
        const event = JSON.parse(line.toString('utf8', 'data: '.length)) as { type: string; audio: string }
        if (event.type === 'speech.audio.delta') onAudio(Buffer.from(event.audio, 'base64'))
      }),
    ),
  /** openai's stream decoder, with Base64 as in its documentation. */
  openai: async () => {
    const { Stream } = await import('openai/core/streaming')
    return timed(async (body, onAudio) => {
      // The decoder reads only these two fields. An iterable body is the cheapest kind that it accepts; a web stream would
      // cost more.
      const response = { body, headers: new Headers() } as unknown as Response
      const events = Stream.fromSSEResponse<{ type: string; audio: string }>(response, new AbortController())
      for await (const event of events) {
        if (event.type === 'speech.audio.delta') onAudio(Buffer.from(event.audio, 'base64'))
      }
    })
  },
} satisfies Readonly<Record<string, Contestant<SpeechShape, number>>>

/** Decodes a stream once to check every byte and to warm up, then several timed times. */
function timed(decode: Decode): (shape: SpeechShape) => Promise<number> {
  return async (shape) => {
    const { chunks, digest } = makeSpeech(shape)
    const hash = createHash('sha256')
    await decode(deliver(chunks), (pcm) => hash.update(pcm))
    if (hash.digest('hex') !== digest) throw new Error('Other audio was decoded than was sent')
    const seconds: number[] = []
    for (let pass = 0; pass < PASSES; pass += 1) {
      const before = process.cpuUsage()
      let bytes = 0
      await decode(deliver(chunks), (pcm) => (bytes += pcm.byteLength))
      seconds.push(ownCpuSeconds(before))
      if (bytes !== shape.deltaBytes * shape.deltas) throw new Error('Audio was lost')
    }
    return median(seconds)
  }
}

/**
 * Calls `onLine` for every line that ends in LF, without its LF: split from chunks with native searches. The minimum: no
 * limit, no CR, no byte order mark.
 */
async function eachLine(body: AsyncIterable<Uint8Array>, onLine: (line: Buffer) => void): Promise<void> {
  let pieces: Buffer[] = []
  const complete = (end: Buffer): Buffer => {
    if (pieces.length === 0) return end
    const line = Buffer.concat([...pieces, end])
    pieces = []
    return line
  }
  for await (const bytes of body) {
    const chunk = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    let from = 0
    for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, from)) {
      onLine(complete(chunk.subarray(from, end)))
      from = end + 1
    }
    if (from < chunk.length) pieces.push(chunk.subarray(from))
  }
}

/** Number of different deltas; after them they repeat. */
const DIFFERENT = 64

/**
 * Makes a stream in the interface's form (Streaming speech events), with noise as audio.
 * @returns the stream, ready in memory, and the SHA-256 of all its PCM
 */
function makeSpeech({ deltaBytes, deltas, chunkBytes }: SpeechShape): { chunks: Uint8Array[]; digest: string } {
  const frame = (event: object): Buffer => Buffer.from(`data: ${JSON.stringify(event)}\n\n`)
  const hash = createHash('sha256')
  const different = Array.from({ length: Math.min(DIFFERENT, deltas) }, () => {
    const pcm = randomFillSync(Buffer.alloc(deltaBytes))
    return { pcm, event: frame({ type: 'speech.audio.delta', audio: pcm.toString('base64') }) }
  })
  const parts = [frame({ type: 'speech.created', format: 'pcm', sample_rate: 24_000, channels: 1, bit_depth: 16 })]
  for (let index = 0; index < deltas; index += 1) {
    const delta = different[index % different.length]
    if (delta === undefined) throw new RangeError('There are no deltas')
    hash.update(delta.pcm)
    parts.push(delta.event)
  }
  parts.push(frame({ type: 'speech.audio.done' }))
  const whole = Buffer.concat(parts)
  const chunks: Uint8Array[] = []
  for (let from = 0; from < whole.length; from += chunkBytes) chunks.push(whole.subarray(from, from + chunkBytes))
  return { chunks, digest: hash.digest('hex') }
}

/** The body, delivered at minimal cost. Without a network, only decoding is measured. */
function deliver(chunks: readonly Uint8Array[]): AsyncIterable<Uint8Array> {
  return {
    [Symbol.asyncIterator]: () => {
      const iterator = chunks[Symbol.iterator]()
      return { next: () => Promise.resolve(iterator.next()) }
    },
  }
}
