import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { speechContract } from '@svc-audio/engine-ports/contract'
import { expect, test } from 'vitest'
import { emptyProject, filesOf } from './support/empty-project.ts'

// Follows docs/add-an-engine.md in an empty project.
const ROOT = join(import.meta.dirname, '../../..')

test('the engine on the page compiles, keeps the contract, and speaks in the service', async () => {
  const files = filesOf(await readFile(join(ROOT, 'docs/add-an-engine.md'), 'utf8'))
  expect([...files.keys()]).toEqual(['beep-engine.ts', 'beep-engine.test.ts', 'main.ts'])
  await using project = await emptyProject()
  await project.write(files)
  await project.typeCheck()
  const tested = await project.run(join(ROOT, 'node_modules/.bin/vitest'), ['run', '--no-color'])
  expect(tested).toMatch(new RegExp(`Tests\\s+${speechContract.length} passed`))
  const printed = await project.run(process.execPath, ['--no-warnings', 'main.ts'])
  expect(JSON.parse(printed)).toMatchObject({
    // 7 letters of a tenth of a second
    seconds: expect.closeTo(0.7, 2) as number,
    voices: { data: [{ id: 'beep', name: 'Beep' }] },
    health: { status: 'ready' },
  })
}, 300_000)

test('a page whose code does not compile fails the type check', async () => {
  await using project = await emptyProject()
  await project.write(new Map([['wrong.ts', 'export const length: number = "three"\n']]))
  await expect(project.typeCheck()).rejects.toThrow('TS2322')
})
