import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createFakeServices, type FakeServices } from '../../../test/support/fake-services.ts'
import { settle } from '@svc-audio/kit/engine-fixtures/manual-clock.ts'
import { rejection } from '@svc-audio/kit/engine-fixtures/rejection.ts'
import { EngineFailedError } from '@svc-audio/engine-ports'
import { transcribe } from './transcribe.ts'

let services: FakeServices
let path: string
beforeEach(async () => {
  services = await createFakeServices()
  path = join(services.dataDir, 'sound')
  await writeFile(path, 'heard')
})
afterEach(() => services.close())

const signal = new AbortController().signal
const work = { diarize: true, keyterms: [] }

/** Holds every turn of the diarizer until it is released. */
function occupy(): () => Promise<void> {
  const { diarization } = services.semaphores
  const latch = Promise.withResolvers<void>()
  const held = Array.from({ length: diarization.size }, () =>
    diarization.use('other', new AbortController().signal, () => latch.promise),
  )
  return async () => {
    latch.resolve()
    await Promise.all(held)
  }
}

describe('speakers', () => {
  test('are told apart in the tenant’s turn', async () => {
    const { diarization, recognition } = services.semaphores
    const release = occupy()
    const transcription = transcribe(services, path, work, { tenant: 't', signal })
    while (diarization.waiting === 0) await settle()
    expect(recognition.busy).toBe(1)
    await release()
    expect(await transcription).toMatchObject({ text: 'heard', segments: [] })
    expect([diarization.busy, recognition.busy]).toEqual([0, 0])
  })

  test('that are still in the queue do not delay an error', async () => {
    const { diarization, recognition } = services.semaphores
    const release = occupy()
    services.hear = () => Promise.reject(new EngineFailedError('crashed'))
    const failed = await rejection(transcribe(services, path, work, { tenant: 't', signal }))
    expect(String(failed)).toContain('crashed')
    expect([diarization.waiting, recognition.busy]).toEqual([0, 0])
    await release()
  })

  test('that cannot be told apart fail the transcription with the reason', async () => {
    const diarization = { ...services.diarization, diarize: () => Promise.reject(new EngineFailedError('crashed')) }
    const failed = await rejection(transcribe({ ...services, diarization }, path, work, { tenant: 't', signal }))
    expect(failed).toBeInstanceOf(EngineFailedError)
    expect(services.semaphores.diarization.busy).toBe(0)
  })
})

test('without speakers the diarizer is not used', async () => {
  const release = occupy()
  const plain = await transcribe(services, path, { diarize: false, keyterms: [] }, { tenant: 't', signal })
  expect(plain).toEqual({ text: 'heard' })
  await release()
})
