import { expect, test } from 'vitest'
import { UnsentLimitError } from '@svc-audio/engine-ports'
import { DiskBuffer } from './disk-buffer.ts'
import { BufferBudget } from './buffer-budget.ts'

const { signal } = new AbortController()

async function read(buffer: DiskBuffer): Promise<number> {
  let bytes = 0
  for await (const chunk of buffer.read()) bytes += chunk.byteLength
  return bytes
}

test('memory is bounded for each tenant and in all, and a file takes the rest', async () => {
  const budget = new BufferBudget({ memoryPerTenant: 100, memory: 150 })
  const buffers = ['a', 'a', 'b', 'c'].map((tenant) => new DiskBuffer(signal, { share: budget.of(tenant) }))
  for (const buffer of buffers) for (let n = 0; n < 8; n += 1) await buffer.write(new Uint8Array(10))
  expect(budget.memory).toBe(150)
  expect(budget.bytes).toBe(320)
  for (const buffer of buffers) expect(await read(buffer)).toBe(80)
  for (const buffer of buffers) await buffer.close()
  expect([budget.memory, budget.bytes]).toEqual([0, 0])
})

test('followed bytes free their memory at once', async () => {
  const budget = new BufferBudget()
  const buffer = new DiskBuffer(signal, { share: budget.of('a') })
  for (let n = 0; n < 3; n += 1) await buffer.write(new Uint8Array(10))
  buffer.end()
  const left: number[] = []
  for await (const chunk of buffer.follow()) left.push(budget.memory + chunk.byteLength)
  expect(left).toEqual([30, 20, 10])
  await buffer.close()
  expect(budget.bytes).toBe(0)
})

test('bytes over the limit of a tenant are refused; another tenant is not affected until the limit of all', async () => {
  const budget = new BufferBudget({ memoryPerTenant: 10, bytesPerTenant: 50, bytes: 80 })
  const open = (tenant: string): DiskBuffer => new DiskBuffer(signal, { share: budget.of(tenant) })
  const [first, second, other] = [open('a'), open('a'), open('b')]
  await first.write(new Uint8Array(50))
  await expect(second.write(new Uint8Array(1))).rejects.toThrow(UnsentLimitError)
  await other.write(new Uint8Array(30))
  await expect(other.write(new Uint8Array(1))).rejects.toThrow(UnsentLimitError)
  await first.close()
  await second.write(new Uint8Array(50))
  for (const buffer of [second, other]) await buffer.close()
  expect(budget.bytes).toBe(0)
})

test('an aborted buffer releases its share', async () => {
  const budget = new BufferBudget()
  const controller = new AbortController()
  const buffer = new DiskBuffer(controller.signal, { share: budget.of('a') })
  await buffer.write(new Uint8Array(10))
  controller.abort(new Error('gone'))
  expect(budget.bytes).toBe(0)
})
