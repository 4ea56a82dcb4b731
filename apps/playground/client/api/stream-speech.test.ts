import { afterEach, expect, test, vi } from 'vitest'
import { streamSpeech } from './stream-speech.ts'

afterEach(() => {
  vi.unstubAllGlobals()
})

const CREATED = '{"type":"speech.created","format":"pcm","sample_rate":16000,"channels":1,"bit_depth":16}'
const DONE = '{"type":"speech.audio.done"}'

function delta(...bytes: number[]): string {
  return `{"type":"speech.audio.delta","audio":"${btoa(String.fromCharCode(...bytes))}"}`
}

/** Collects the stream's pieces from a given answer of the server. */
async function read(body: string, { status = 200, chunk = 7 } = {}): Promise<unknown[]> {
  const bytes = new TextEncoder().encode(body)
  const stream = new ReadableStream<Uint8Array>({
    start(controller) {
      for (let at = 0; at < bytes.length; at += chunk) controller.enqueue(bytes.slice(at, at + chunk))
      controller.close()
    },
  })
  vi.stubGlobal('fetch', async () => new Response(stream, { status }))
  const pieces: unknown[] = []
  const request = { text: 'Hello', voice: 'rms' }
  for await (const piece of streamSpeech(request, new AbortController().signal)) {
    pieces.push(piece.type === 'format' ? piece.format : [...piece.pcm])
  }
  return pieces
}

function frames(...events: string[]): string {
  return events.map((event) => `data: ${event}\n\n`).join('')
}

test('the format comes first, then PCM in whole frames, wherever the events are split', async () => {
  const pieces = await read(frames('{"type":"task.created"}', CREATED, delta(1, 2, 3), delta(4), DONE))
  expect(pieces).toEqual([{ sampleRate: 16_000, channels: 1, bitDepth: 16 }, [1, 2], [3, 4]])
})

test.each([
  ['a stream without its end', frames(CREATED, delta(1, 2)), /cut/],
  ['audio before the format', frames(delta(1, 2)), /format/],
  ['an unusable format', frames(CREATED.replace('16000', '0')), /sample_rate/],
  ['an error event', frames(CREATED, '{"type":"error","error":{"message":"No voice left"}}'), /No voice left/],
  ['an error event without a message', frames('{"type":"error"}'), /failed/],
])('%s fails', async (_case, body, message) => {
  await expect(read(body)).rejects.toThrow(message)
})

test("a refusal has the server's message", async () => {
  await expect(read('{"error":{"code":"x","message":"No text"}}', { status: 400 })).rejects.toThrow('No text')
  await expect(read('<html>', { status: 502 })).rejects.toThrow('status 502')
})

test('breaking off early cancels the rest of the answer', async () => {
  const cancel = vi.fn<() => void>()
  const first = new TextEncoder().encode(frames(CREATED))
  const stream = new ReadableStream<Uint8Array>({ start: (controller) => controller.enqueue(first), cancel })
  vi.stubGlobal('fetch', async () => new Response(stream))
  for await (const piece of streamSpeech({ text: 'Hello', voice: 'rms' }, new AbortController().signal)) {
    expect(piece.type).toBe('format')
    break
  }
  expect(cancel).toHaveBeenCalledOnce()
})
