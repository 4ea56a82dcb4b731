import type { IncomingMessage, ServerResponse } from 'node:http'
import { readBody, startServer, type TestServer } from './servers.ts'
import { CREATED, delta, DONE, frames, openEvents } from './speech.ts'

/** A request that arrived at the server, with methods to answer it. */
export interface Asked {
  readonly input: string
  readonly body: Readonly<Record<string, unknown>>
  readonly response: ServerResponse
  /** Answers with this complete audio. */
  speak(audio: Uint8Array): void
  /** Answers with the beginning and leaves the stream open. */
  begin(audio?: Uint8Array): void
  /** Sends more audio. */
  go(audio: Uint8Array): void
  /** Sends the terminal event and ends. */
  done(): void
}

/** A server for narrations. It stores requests, or answers them with `answer`. */
export async function startSpeaker(
  respond?: (asked: Asked) => void,
): Promise<TestServer & { readonly asked: Asked[]; find: (input: string) => Asked }> {
  const all: Asked[] = []
  const server = await startServer(async (request, response) => {
    const asked = await ask(request, response)
    all.push(asked)
    respond?.(asked)
  })
  const find = (input: string): Asked => {
    const found = all.find((one) => one.input === input)
    if (found === undefined) throw new Error(`Nobody asked for ${input}`)
    return found
  }
  return { ...server, asked: all, find }
}

async function ask(request: IncomingMessage, response: ServerResponse): Promise<Asked> {
  const body = JSON.parse((await readBody(request)).toString()) as Record<string, unknown>
  const input = String(body['input'])
  const task = {
    type: 'task.created',
    task_id: `task-${input}`,
    object: 'audio.speech',
    status: 'PROCESSING',
    model: 'm',
  }
  const begin = (audio?: Uint8Array): void => {
    openEvents(response)
    response.write(frames(task, CREATED, ...(audio === undefined ? [] : [delta(audio)])))
  }
  const go = (audio: Uint8Array): void => void response.write(frames(delta(audio)))
  const done = (): void => void response.end(frames(DONE))
  const speak = (audio: Uint8Array): void => {
    begin(audio)
    done()
  }
  return { input, body, response, speak, begin, go, done }
}

/** Samples of 16 bits. */
export function samples(...values: readonly number[]): Uint8Array {
  return new Uint8Array(Int16Array.from(values).buffer)
}

/** Repeats a sample. */
export function hold(count: number, value = 0): number[] {
  return Array.from({ length: count }, () => value)
}

/** The samples of audio of 16 bits. */
export function samplesOf(pcm: Uint8Array): number[] {
  return [...new Int16Array(new Uint8Array(pcm).buffer)]
}
