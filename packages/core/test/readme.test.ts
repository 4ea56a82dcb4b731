import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { createTestUpstream } from '@svc-audio/testing'
import { expect, onTestFinished, test } from 'vitest'

const PACKAGE = join(import.meta.dirname, '..')

/** The `ts` blocks of a page; a block after `<!-- continues -->` belongs to the one before. */
async function programsOf(page: string): Promise<string[]> {
  const programs: string[] = []
  const text = await readFile(join(PACKAGE, page), 'utf8')
  for (const [, continues, code = ''] of text.matchAll(/(<!-- continues -->\s*)?^```ts\n(.*?)^```$/gms)) {
    if (continues === undefined) programs.push(code)
    else programs.push(`${programs.pop() ?? ''}${code}`)
  }
  return programs
}

/** Runs the programs of a page, one after another in one folder, as a user would. */
async function runPage(page: string): Promise<{ output: string; files: string[] }> {
  const upstream = await createTestUpstream()
  // Inside the package, so that the blocks find it by its own name.
  await mkdir(join(PACKAGE, 'dist'), { recursive: true })
  const folder = await mkdtemp(join(PACKAGE, 'dist/.page-'))
  onTestFinished(async () => {
    await upstream.close()
    await rm(folder, { recursive: true, force: true })
  })
  await writeFile(join(folder, 'hello.mp3'), 'ID3 audio')
  const env = { ...process.env, SVC_AUDIO_API_KEY: upstream.apiKey, SVC_AUDIO_BASE_URL: upstream.url }
  let output = ''
  for (const [index, program] of (await programsOf(page)).entries()) {
    await writeFile(join(folder, `${index}.mts`), program)
    const { stdout } = await promisify(execFile)(process.execPath, [`${index}.mts`], {
      cwd: folder,
      env,
      timeout: 60_000,
    })
    output += stdout
  }
  return { output, files: await readdir(folder) }
}

test.each([
  ['README.md', /\d+ \d+\n/, ['hello.mp3']],
  ['docs/calls.md', /^\d+ /, []],
  ['docs/uploads.md', /\w/, []],
  ['docs/network.md', /^$/, []],
  ['docs/tasks.md', /SUCCESS\n/, []],
  ['docs/text.md', /spoken: '.*sequel/, ['chapter.wav', 'talk.vtt']],
] as const)('the blocks of %s run as printed', async (page, said, written) => {
  const { output, files } = await runPage(page)
  expect(output).toMatch(said)
  expect(files).toEqual(expect.arrayContaining([...written]))
})
