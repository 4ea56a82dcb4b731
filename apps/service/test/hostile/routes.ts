import * as fc from 'fast-check'
import type { Context } from './context.ts'
import type { Part } from './form.ts'
import type { Body } from './json.ts'
import { speakable } from './values.ts'

/** A valid request, before its mutation. */
export type Plan =
  | { readonly kind: 'json'; readonly path: string; readonly body: Body }
  | { readonly kind: 'form'; readonly path: string; readonly parts: readonly Part[] }
  | { readonly kind: 'path'; readonly path: string }

/** A route of the interface. A missing route is skipped. */
export interface Route {
  readonly name: string
  readonly method: 'GET' | 'POST' | 'DELETE'
  /** Requests that must be accepted. */
  readonly valid: (context: Context) => fc.Arbitrary<Plan>
  /** Whether a valid request may be refused, because its target can be gone. */
  readonly mayBeGone?: boolean
  /** Whether the route applies here. @default always */
  readonly needs?: (context: Context) => boolean
}

const optional = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> => fc.option(value, { nil: undefined })
const oneOf = <T>(values: readonly T[], otherwise: T): fc.Arbitrary<T> =>
  fc.constantFrom(...(values.length > 0 ? values : [otherwise]))

const AIGC = fc.record(
  {
    enabled: fc.boolean(),
    content_propagator: fc.string({ maxLength: 20 }),
    propagate_id: fc.string({ maxLength: 20 }),
  },
  { requiredKeys: [] },
)

/** Fields of all requests for speech in one piece. */
const delivered = ({ formats }: Context) => ({
  response_format: optional(oneOf(formats, 'wav')),
  delivery_method: optional(fc.constantFrom('audio', 'url')),
  async: optional(fc.boolean()),
})

const json = (path: string, body: fc.Arbitrary<Body>): fc.Arbitrary<Plan> =>
  body.map((fields) => ({
    kind: 'json',
    path,
    body: Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)),
  }))

const text = (name: string, value: string): Part => ({ name, value: Buffer.from(value) })
const file = (name: string, value: Buffer): Part => ({ name, value, filename: 'a.wav' })

const query = (path: string, fields: Readonly<Record<string, fc.Arbitrary<unknown>>>): fc.Arbitrary<Plan> =>
  fc.record(fields, { requiredKeys: [] }).map((values) => {
    const search = new URLSearchParams()
    for (const [name, value] of Object.entries(values)) search.append(name, String(value))
    return { kind: 'path', path: `${path}?${search.toString()}` }
  })

/** Every route of the interface. */
export const ROUTES: readonly Route[] = [
  {
    name: 'POST /v1/audio/speech',
    method: 'POST',
    valid: (context) =>
      json(
        '/v1/audio/speech',
        fc.record({
          model: fc.constantFrom('svc-tts-1.5-flash', 'svc-tts-1.0-pro'),
          input: speakable,
          voice_id: oneOf(context.voices, ''),
          aigc_metadata: optional(AIGC),
          ...delivered(context),
        }),
      ),
  },
  {
    name: 'POST /v1/audio/speech (stream)',
    method: 'POST',
    valid: ({ voices }) =>
      json(
        '/v1/audio/speech',
        fc.record({
          model: fc.constant('svc-tts-1.5-flash'),
          input: speakable,
          stream: fc.constant(true),
          response_format: fc.constant('pcm'),
          voice_id: optional(oneOf(voices, '')),
          stream_format: optional(fc.constantFrom('audio', 'sse')),
          speed: optional(fc.double({ min: 0.25, max: 4, noNaN: true })),
          language: optional(fc.constantFrom('en', ' EN ', 'en-GB', '')),
          expected_duration_sec: optional(fc.double({ min: 0.1, max: 2, noNaN: true })),
          aigc_metadata: optional(AIGC),
        }),
      ),
  },
  {
    name: 'POST /v1/audio/speech/speakers',
    method: 'POST',
    valid: (context) =>
      json(
        '/v1/audio/speech/speakers',
        fc.record({
          model: fc.constantFrom('svc-ttsd-1.0', 'svc-ttsd-1.0-2026-03-20'),
          speakers: fc.tuple(oneOf(context.voices, ''), oneOf(context.voices, '')).map(([one, two]) => [
            { id: 'a', voice_id: one },
            { id: 'b', voice_id: two },
          ]),
          segments: fc.array(fc.record({ speaker: fc.constantFrom('a', 'b'), text: speakable }), {
            minLength: 1,
            maxLength: 3,
          }),
          aigc_metadata: optional(AIGC),
          response_format: optional(oneOf(context.formats, 'wav')),
          delivery_method: optional(fc.constantFrom('audio', 'url')),
        }),
      ),
  },
  {
    name: 'POST /v1/audio/voice/generations',
    method: 'POST',
    valid: ({ formats }) =>
      json(
        '/v1/audio/voice/generations',
        fc.record({
          model: fc.constant('svc-voice-generator-1.0'),
          input: speakable,
          instruction: fc.constantFrom('A calm old man', 'young, fast and happy', '低い声'),
          response_format: optional(oneOf(formats, 'wav')),
          delivery_method: optional(fc.constantFrom('audio', 'url')),
        }),
      ),
  },
  {
    name: 'POST /v1/audio/transcriptions',
    method: 'POST',
    valid: ({ audio }) =>
      fc
        .record({ format: optional(fc.constantFrom('json', 'text')), async: optional(fc.boolean()) })
        .map(({ format, async }) => ({
          kind: 'form',
          path: '/v1/audio/transcriptions',
          parts: [
            text('model', 'svc-transcribe-1.0'),
            ...(format === undefined ? [] : [text('response_format', format)]),
            ...(async === undefined ? [] : [text('async', String(async))]),
            file('file', audio),
          ],
        })),
  },
  {
    name: 'POST /v1/audio/transcriptions (stored)',
    method: 'POST',
    mayBeGone: true,
    needs: ({ files }) => files.length > 0,
    valid: ({ files }) =>
      json(
        '/v1/audio/transcriptions',
        fc.record({
          model: fc.constantFrom('svc-transcribe-1.0', 'svc-transcribe-diarize-pro'),
          file_id: oneOf(files, 'file_none'),
          response_format: optional(fc.constant('json')),
          async: optional(fc.boolean()),
        }),
      ),
  },
  {
    name: 'POST /v1/audio/voices',
    method: 'POST',
    // The service decides on length and clarity of a sample.
    mayBeGone: true,
    valid: ({ sample }) =>
      fc.record({ name: optional(fc.string({ maxLength: 20 })) }).map(({ name }) => ({
        kind: 'form',
        path: '/v1/audio/voices',
        parts: [...(name === undefined ? [] : [text('name', name)]), file('audio_sample', sample)],
      })),
  },
  {
    name: 'GET /v1/audio/voices',
    method: 'GET',
    valid: () =>
      query('/v1/audio/voices', {
        limit: fc.integer({ min: 1, max: 150 }),
        offset: fc.integer({ min: 0, max: 1000 }),
        status: fc.constantFrom('active', 'failed'),
      }),
  },
  {
    name: 'GET /v1/audio/tasks/{task_id}',
    method: 'GET',
    valid: ({ tasks }) => oneOf(tasks, '').map((id) => ({ kind: 'path', path: `/v1/audio/tasks/${id}` })),
  },
  {
    name: 'POST /v1/files',
    method: 'POST',
    valid: ({ audio }) =>
      optional(fc.string({ maxLength: 20 })).map((purpose) => ({
        kind: 'form',
        path: '/v1/files',
        parts: [...(purpose === undefined ? [] : [text('purpose', purpose)]), file('file', audio)],
      })),
  },
  {
    name: 'GET /v1/files',
    method: 'GET',
    valid: () =>
      query('/v1/files', {
        limit: fc.integer({ min: 1, max: 200 }),
        offset: fc.integer({ min: 0, max: 100_000 }),
        purpose: fc.string({ maxLength: 20 }),
      }),
  },
  {
    name: 'GET /v1/files/{file_id}',
    method: 'GET',
    mayBeGone: true,
    valid: ({ files }) => oneOf(files, 'file_none').map((id) => ({ kind: 'path', path: `/v1/files/${id}` })),
  },
  {
    name: 'DELETE /v1/files/{file_id}',
    method: 'DELETE',
    mayBeGone: true,
    valid: ({ spareFiles }) => oneOf(spareFiles, 'file_none').map((id) => ({ kind: 'path', path: `/v1/files/${id}` })),
  },
  {
    name: 'GET /v1/models',
    method: 'GET',
    valid: () => fc.constant({ kind: 'path', path: '/v1/models' }),
  },
  {
    name: 'GET /v1/audio/results/{name}',
    method: 'GET',
    valid: ({ results }) => oneOf(results, '').map((path) => ({ kind: 'path', path })),
  },
]
