import { afterEach, beforeEach, expect, test } from 'vitest'
import { createFakeServices, type FakeServices, namesIn } from '../../../test/support/fake-services.ts'
import { DatabaseUnavailableError, ObjectStoreUnavailableError, OutcomeUnknownError } from '../../domain/errors.ts'
import { ServiceError } from '../../domain/service-error.ts'
import { claimObject } from './claim-object.ts'

let services: FakeServices
beforeEach(async () => {
  services = await createFakeServices()
  await services.inputs.of('t').put('input', one('audio'))
})
afterEach(() => services.close())

async function* one(text: string): AsyncGenerator<Uint8Array, void, undefined> {
  yield Buffer.from(text)
}

/** Stores the record of the object. `visible`: whether a query sees the record. */
const claim = (record: () => Promise<{ isUsed: boolean }>, visible = false) =>
  claimObject(services, { objects: services.inputs, name: 'input', inUse: async () => visible }, record)

test('the object of an accepted record stays', async () => {
  await claim(async () => ({ isUsed: true }))
  expect(await namesIn(services.inputs)).toEqual(['input'])
})

test('the object of a commit without a response stays, although a query does not see its record yet', async () => {
  await expect(claim(() => Promise.reject(new OutcomeUnknownError()))).rejects.toThrow(OutcomeUnknownError)
  expect(await namesIn(services.inputs)).toEqual(['input'])
})

test.each([
  new ServiceError(409, 'idempotency_conflict', 'Another request'),
  new ServiceError(429, 'too_many_tasks', 'Full'),
  new DatabaseUnavailableError(),
])('the object of a record that was certainly not stored is deleted: %s', async (error) => {
  const refuse = async (): Promise<never> => {
    throw error
  }
  await expect(claim(refuse)).rejects.toBe(error)
  expect(await namesIn(services.inputs)).toEqual([])
})

test('the object of a repeated request is deleted', async () => {
  await claim(async () => ({ isUsed: false }))
  expect(await namesIn(services.inputs)).toEqual([])
})

test('an object that a record names after all stays', async () => {
  await expect(claim(() => Promise.reject(new Error('after the commit')), true)).rejects.toThrow('after the commit')
  expect(await namesIn(services.inputs)).toEqual(['input'])
})

test('a failed deletion changes neither the response nor the error of the request', async () => {
  const objects = { delete: () => Promise.reject(new ObjectStoreUnavailableError()) }
  const parts = { objects, name: 'input', inUse: async () => false }
  await expect(claimObject(services, parts, async () => ({ isUsed: false }))).resolves.toEqual({ isUsed: false })
  const conflict = new ServiceError(409, 'idempotency_conflict', 'Another request')
  await expect(claimObject(services, parts, () => Promise.reject(conflict))).rejects.toBe(conflict)
  expect(services.logged.join('')).toContain('an unused object stays until the clean-up')
})
