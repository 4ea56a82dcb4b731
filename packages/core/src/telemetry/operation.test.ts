import { expect, test } from 'vitest'
import { operationOf } from './operation.ts'

test.each<[string, string, object | undefined, string]>([
  ['POST', '/v1/audio/speech', {}, 'speech.create'],
  ['POST', '/v1/audio/speech', { delivery_method: 'url' }, 'speech.createUrl'],
  ['POST', '/v1/audio/speech', { async: true }, 'speech.createTask'],
  ['POST', '/v1/audio/speech', { stream: true }, 'speech.stream'],
  ['POST', '/v1/audio/speech/speakers', {}, 'dialogue.create'],
  ['POST', '/v1/audio/voice/generations', { async: true }, 'voiceGenerations.createTask'],
  ['POST', '/v1/audio/transcriptions', { diarize: true }, 'transcriptions.create'],
  ['POST', '/v1/audio/transcriptions', { stream: true }, 'transcriptions.stream'],
  ['POST', '/v1/audio/voices', {}, 'voices.create'],
  ['GET', '/v1/audio/voices', undefined, 'voices.list'],
  ['POST', '/v1/files', undefined, 'files.create'],
  ['GET', '/v1/files', undefined, 'files.list'],
  ['GET', '/v1/files/file-1', undefined, 'files.retrieve'],
  ['DELETE', '/v1/files/file-1', undefined, 'files.delete'],
  ['GET', '/v1/audio/tasks/t-1', undefined, 'tasks.retrieve'],
  ['GET', '/v1/models', undefined, 'models.list'],
  ['GET', 'https://cdn.example.com/v1/files/a.mp3', undefined, 'download'],
])('%s %s with %j is %s', (method, path, fields, operation) => {
  expect(operationOf({ method, path, fields })).toBe(operation)
})
