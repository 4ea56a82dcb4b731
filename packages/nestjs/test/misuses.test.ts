import { join } from 'node:path'
import { type Misuse, uploadMistakes, wrongMessages } from '@svc-audio/kit/behaviour'
import { expect, test } from 'vitest'

const head = `
import type { AudioClient } from '@svc-audio/core'
import { UseInterceptors } from '@nestjs/common'
import { AudioModule, AudioWebhooksModule, DisconnectSignal, ForwardUploadInterceptor, speechFile, TranscribeUploadInterceptor, Transcription } from '@svc-audio/nestjs'
import { ApiAudioUpload } from '@svc-audio/nestjs/swagger'
declare const client: AudioClient
declare const keyterms: string[]
class Meeting { title!: string }
`

const STANDARD = "model: 'svc-transcribe-1.0'"
const VOICED = "{ model: 'svc-tts-1.5-flash', input: 'Hello', voice_id: 'rms' }"

/** Likely mistakes. */
const likely: readonly Misuse[] = [
  ...uploadMistakes('TranscribeUploadInterceptor', ''),
  ...uploadMistakes('ForwardUploadInterceptor', 'call: async () => 1,'),
  ["AudioModule.forRoot({ uploads: { maxFileSize: '50mb' } })", 'write a number of bytes: 25_000_000'],
  ["AudioModule.forRoot({ uploads: { accept: 'audio/*' } })", "write an array: ['audio/*']"],
  [
    'class Read { read(@Transcription() text: Transcription) { return text.segments.length } }',
    "'text.segments' is possibly 'undefined'",
  ],
]

const misuses: readonly Misuse[] = [
  ['TranscribeUploadInterceptor({ maxFilesize: 1 })', "Did you mean to write 'maxFileSize'?"],
  ['TranscribeUploadInterceptor({ maxFields: 1 })', "'maxFields' does not exist"],
  [`TranscribeUploadInterceptor({ ${STANDARD}, keyterms })`, 'needs the model svc-transcribe-diarize-pro'],
  [`TranscribeUploadInterceptor({ ${STANDARD}, diarize: true })`, 'needs the model svc-transcribe-diarize-pro'],
  [`TranscribeUploadInterceptor({ ${STANDARD}, respond: 'sse' })`, 'needs the model svc-transcribe-diarize-pro'],
  ["TranscribeUploadInterceptor({ respond: 'next' })", `Type '"next"' is not assignable`],
  ['TranscribeUploadInterceptor({ client })', "Type 'AudioClient' is not assignable to type 'string |"],
  ["TranscribeUploadInterceptor({ fields: { title: 'text' } })", "'title' does not exist in type 'FieldsOption"],
  ['UseInterceptors(new TranscribeUploadInterceptor())', "'new' expression, whose target lacks a construct signature"],
  ['ForwardUploadInterceptor({})', "Property 'call' is missing"],
  [
    'ForwardUploadInterceptor({ call: ({ filename }) => filename })',
    "Type 'string' is not assignable to type 'Promise<unknown>'",
  ],
  ["ForwardUploadInterceptor({ call: async () => 1, respond: 'task' })", "'respond' does not exist"],
  ["AudioModule.forRoot({ apikey: 'x' })", "Did you mean to write 'apiKey'?"],
  ["AudioModule.forRoot({ shutdownTimeout: '25s' })", "Type 'string' is not assignable to type 'number'"],
  ['AudioModule.forRoot({ uploads: { maxFilesize: 1 } })', "Did you mean to write 'maxFileSize'?"],
  [
    'AudioModule.forRootAsync({ useFactory: () => ({ isGlobal: true }) })',
    "Type '{ isGlobal: boolean; }' is not assignable to type 'AudioModuleOptions",
  ],
  [
    "AudioModule.forRootAsync({ useFactory: () => 'key' })",
    "Type 'string' is not assignable to type 'AudioModuleOptions",
  ],
  ["AudioWebhooksModule.forRoot({ url: 'https://app.example/hooks' })", "Property 'secret' is missing"],
  ['speechFile(client)', "Argument of type 'AudioClient' is not assignable to parameter of type 'SpeechSource'"],
  [
    `speechFile(() => client.speech.create(${VOICED}), { filename: 'a.mp3' })`,
    "'filename' does not exist in type 'SpeechFileOptions'",
  ],
  ["Transcription('text')", 'Expected 0 arguments, but got 1'],
  ['DisconnectSignal(1)', 'Expected 0 arguments, but got 1'],
  ["ApiAudioUpload({ field: 'photo' })", "'field' does not exist in type 'ApiAudioUploadOptions'"],
]

/** Code that must compile. */
const uses = [
  'UseInterceptors(TranscribeUploadInterceptor())',
  'TranscribeUploadInterceptor({ keyterms, fields: Meeting })',
  "TranscribeUploadInterceptor({ client: 'premium', maxFileSize: (context) => context.getArgs().length })",
  "TranscribeUploadInterceptor({ respond: 'task', onTask: ({ id }, context) => console.log(id, context.getType()) })",
  'ForwardUploadInterceptor({ call: ({ file, options }, given) => given.client.files.create({ file }, options) })',
  "AudioModule.forRootAsync({ isGlobal: true, useFactory: () => ({ apiKey: 'x' }) })",
  `speechFile(() => client.speech.create(${VOICED}), { disposition: 'attachment' })`,
  'ApiAudioUpload({ fields: Meeting })',
]

test('each known misuse does not compile, and its message names the remedy; correct uses compile', async () => {
  expect(await wrongMessages({ folder: join(import.meta.dirname, '..'), head, likely, misuses, uses })).toEqual([])
})
