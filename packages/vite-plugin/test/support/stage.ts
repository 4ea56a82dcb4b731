import { mkdtemp, realpath } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  type ResponseFunction,
  audioBytes,
  createTestUpstream,
  type HeldResponse,
  hold,
  speechAudio,
  type TestUpstream,
} from '@svc-audio/testing'
import { afterEach, beforeEach } from 'vitest'
import type { NarrationOptions } from '../../src/index.ts'
import { Site, type SiteFiles } from './site.ts'

/** The key that the service of the tests knows. */
export const API_KEY = 'test-key-of-the-narration-site'

/** Route of the speech calls. */
export const SPEECH = 'POST /v1/audio/speech'

/** Body of a speech call. */
export interface SpeechCall {
  readonly model: string
  readonly input: string
  readonly voice_id: string
  readonly response_format: string
  readonly aigc_metadata?: object
}

/** The service and the sites of a test file. */
export interface Stage {
  /** A scripted service, new for each test. Texts that differ have audio that differs. */
  readonly upstream: TestUpstream
  /** The speech calls so far, in order. */
  readonly calls: readonly SpeechCall[]
  /** The default response to a speech call. */
  readonly speaks: ResponseFunction
  /** Holds each speech call until `release()`. */
  hold(): HeldResponse
  /** Resolves after `count` further speech calls. */
  called(count: number): Promise<void>
  /**
   * A new site in a folder of its own, removed after the test.
   * @param options For its plugins, besides those that lead to the service.
   */
  site(files: SiteFiles, options?: Partial<NarrationOptions>): Promise<Site>
}

/** Sets up the scripted service. */
export function setUpStage(): Stage {
  const cleanups: (() => Promise<void>)[] = []
  let upstream: TestUpstream

  beforeEach(async () => {
    upstream = (await createTestUpstream({ apiKey: API_KEY })).on(SPEECH, speaks)
    cleanups.push(() => upstream.close())
  })
  afterEach(async () => {
    for (const cleanup of cleanups.splice(0).toReversed()) await cleanup()
  })

  return {
    speaks,
    get upstream() {
      return upstream
    },
    get calls() {
      return upstream.requests.filter(({ route }) => route === SPEECH).map(({ json }) => json as SpeechCall)
    },
    hold() {
      const held = hold(speaks)
      upstream.on(SPEECH, held)
      return held
    },
    async called(count) {
      for (let call = 0; call < count; call += 1) await (await upstream.waitForRequest(SPEECH)).received()
    },
    async site(files, options = {}) {
      // Most tests read exact times, which FLAC has.
      const defaults = { apiKey: API_KEY, voice_id: 'rms', response_format: 'flac' } as const
      const root = await temporaryFolder('svc-audio-vite-')
      const site = new Site(root, () => ({ ...defaults, baseUrl: upstream.url, ...options }))
      cleanups.push(() => site.remove())
      await site.write(files)
      return site
    },
  }
}

/** A new folder by its real path, as Vite names files. */
export async function temporaryFolder(prefix: string): Promise<string> {
  return realpath(await mkdtemp(join(tmpdir(), prefix)))
}

/** Speech whose length, of 1 to 3 seconds, follows from its text and voice. */
const speaks: ResponseFunction = async (exchange) => {
  await exchange.received()
  const { input, voice_id, response_format } = exchange.request.json as SpeechCall
  let sum = 0
  for (const character of input + voice_id) sum = (sum * 31 + (character.codePointAt(0) ?? 0)) % 1000
  const made = speechAudio(response_format, 1 + sum / 500)
  if (made === undefined) throw new Error(`There is no ${response_format}`)
  return audioBytes(made.bytes, made.contentType)
}
