import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { build, createBuilder } from 'vite'
import { expect, test } from 'vitest'
import type { Narration, NarrationOptions } from '../src/index.ts'
import type { Site } from './support/site.ts'
import { API_KEY, setUpStage } from './support/stage.ts'

const stage = setUpStage()

const POSTS = ['a', 'b', 'c', 'd', 'e', 'f']
const WAV = { response_format: 'wav' } as const
const MANY = {
  'main.js': `export default import.meta.glob('./*.md', { query: '?narrate', import: 'default', eager: true })`,
  ...Object.fromEntries(POSTS.map((name) => [`${name}.md`, `This is the text ${name}.`])),
}

test('as many calls run in parallel as concurrency allows', async () => {
  const site = await stage.site(MANY, WAV)
  const held = stage.hold()
  const building = site.build({ concurrency: 3 })
  await stage.called(3)
  held.release()
  await building
  expect(stage.calls).toHaveLength(POSTS.length)
  expect(stage.upstream.mostAtOnce).toBe(3)
})

test('two calls run in parallel by default', async () => {
  const site = await stage.site(MANY, WAV)
  const held = stage.hold()
  const building = site.build()
  await stage.called(2)
  held.release()
  await building
  expect(stage.upstream.mostAtOnce).toBe(2)
})

test('parallel builds of client and server make one call for each text and have the same addresses', async () => {
  const site = await stage.site(MANY, WAV)
  const held = stage.hold()
  const builder = await createBuilder(
    site.config({
      plugins: [site.plugin()],
      environments: {
        client: { build: { outDir: 'dist/client' } },
        ssr: { build: { outDir: 'dist/server', ssr: true, rollupOptions: { input: join(site.root, 'main.js') } } },
      },
      builder: {
        buildApp: async (app) => {
          await Promise.all(Object.values(app.environments).map((environment) => app.build(environment)))
        },
      },
    }),
  )
  const building = builder.buildApp()
  await stage.called(2)
  held.release()
  await building
  expect(stage.calls.map(({ input }) => input).toSorted()).toEqual(POSTS.map((name) => `This is the text ${name}.`))
  expect(stage.upstream.mostAtOnce).toBe(2)
  await stage.upstream.idle()

  const client = (await site.exports('dist/client'))['default'] as Record<string, Narration>
  expect((await site.exports('dist/server'))['default']).toEqual(client)
  const built = await readdir(join(site.root, 'dist/client/assets'))
  expect(built.filter((name) => name.endsWith('.wav'))).toHaveLength(POSTS.length)
  // The server's build has no second copy of the audio.
  expect(await site.list('dist/server/assets')).toEqual([])
  for (const { src } of Object.values(client))
    expect((await site.built(src, 'dist/client')).byteLength).toBeGreaterThan(1000)
})

test('the environments of a build share one plugin and its limit on calls', async () => {
  const options = { apiKey: API_KEY, baseUrl: stage.upstream.url, voice_id: 'rms', ...WAV }
  const input = { rollupOptions: { input: 'main.js' } }
  const site = await stage.site({
    ...MANY,
    'vite.config.mjs': `
      import { narration } from ${JSON.stringify(new URL('../src/index.ts', import.meta.url).pathname)}
      export default {
        plugins: [narration(${JSON.stringify(options)})],
        environments: { client: { build: ${JSON.stringify(input)} }, ssr: { build: ${JSON.stringify({ ...input, outDir: 'dist/ssr' })} } },
        builder: { buildApp: (app) => Promise.all(Object.values(app.environments).map((one) => app.build(one))) },
      }`,
  })
  const held = stage.hold()
  const builder = await createBuilder({ root: site.root, logLevel: 'silent' })
  const building = builder.buildApp()
  await stage.called(2)
  held.release()
  await building
  expect(stage.calls).toHaveLength(POSTS.length)
  expect(stage.upstream.mostAtOnce).toBe(2)
})

test('two parallel builds make one call for each text', async () => {
  const site = await stage.site(MANY, WAV)
  const held = stage.hold()
  const building = ['one', 'two'].map((outDir) =>
    build(site.config({ plugins: [site.plugin({ concurrency: 6 })], build: { outDir } })),
  )
  await stage.called(POSTS.length)
  held.release()
  await Promise.all(building)
  expect(stage.calls).toHaveLength(POSTS.length)
  expect(await readFile(join(site.root, 'one/main.js'), 'utf8')).toBe(
    await readFile(join(site.root, 'two/main.js'), 'utf8'),
  )
})

test('a watched build calls for the changed text only', async () => {
  const site = await stage.site(MANY, WAV)
  const watcher = await build(site.config({ plugins: [site.plugin()], build: { watch: {} } }))
  if (!('on' in watcher)) throw new Error('not a watcher')
  const rounds: (() => void)[] = []
  watcher.on('event', async (event) => {
    if (event.code === 'ERROR') throw event.error
    if ('result' in event) await event.result.close()
    if (event.code === 'END') rounds.shift()?.()
  })
  const round = (): Promise<void> => new Promise((resolve) => rounds.push(resolve))
  try {
    await round()
    expect(stage.calls).toHaveLength(POSTS.length)
    const next = round()
    await site.write({ 'c.md': 'Something else.' })
    await next
    expect(stage.calls.slice(POSTS.length).map(({ input }) => input)).toEqual(['Something else.'])
    expect(await site.exports()).toMatchObject({ default: { './c.md': { characters: 15 } } })
  } finally {
    await watcher.close()
  }
})

/** Builds the client, then the server, each from its own entry. */
async function buildInTurn(
  site: Site,
  options: Partial<NarrationOptions>,
  client: string,
  server: string,
): Promise<void> {
  const builder = await createBuilder(
    site.config({
      plugins: [site.plugin(options)],
      environments: {
        client: { build: { outDir: 'dist/client', rollupOptions: { input: join(site.root, client) } } },
        ssr: { build: { outDir: 'dist/server', ssr: true, rollupOptions: { input: join(site.root, server) } } },
      },
      builder: {
        buildApp: async (app) => {
          for (const environment of Object.values(app.environments)) await app.build(environment)
        },
      },
    }),
  )
  await builder.buildApp()
}

test('refresh makes each segment once, although the server is built after the client', async () => {
  const site = await stage.site({ 'main.js': `export { default } from './a.md?narrate'`, 'a.md': 'A.\n\nB.' })
  await buildInTurn(site, { mode: 'refresh' }, 'main.js', 'main.js')
  // Two calls run at a time and may arrive in any order.
  expect(stage.calls.map(({ input }) => input).toSorted()).toEqual(['A.', 'B.'])
})

test('collect keeps what another environment of the build uses', async () => {
  const site = await stage.site({
    'client.js': `export { src as default } from './a.md?narrate'`,
    'server.js': `export { src as default } from './a.md?voice_id=slt&narrate'`,
    'a.md': 'A.',
  })
  await buildInTurn(site, { collect: true }, 'client.js', 'server.js')
  await buildInTurn(site, { collect: true }, 'client.js', 'server.js')
  expect(stage.calls.map(({ voice_id }) => voice_id)).toEqual(['rms', 'slt'])
  // The audio of the old text is stale for both.
  await site.write({ 'a.md': 'B.' })
  const entries = (await site.list('node_modules')).length
  await buildInTurn(site, { collect: true }, 'client.js', 'server.js')
  expect(await site.list('node_modules')).toHaveLength(entries)
})
