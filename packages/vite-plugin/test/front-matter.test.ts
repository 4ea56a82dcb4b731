import { copyFile, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { speechAudio } from '@svc-audio/testing'
import { expect, test } from 'vitest'
import type { Narration } from '../src/index.ts'
import { setUpStage } from './support/stage.ts'

const stage = setUpStage()

/** What was made, sorted. */
const inputs = (): string[] => stage.calls.map(({ input }) => input).toSorted()

const main = { 'main.js': `export { default } from './post.md?narrate'` }

test('the title is read first, once', async () => {
  const site = await stage.site({ ...main, 'post.md': '---\ntitle: The harbour\n---\nThe boat leaves.' })
  const { title, sections } = await site.buildOne()
  expect(title).toBe('The harbour')
  expect(sections).toMatchObject([{ title: 'The harbour', level: 1, startSecond: 0 }])
  // Sections are made side by side.
  expect(inputs()).toEqual(['The boat leaves.', 'The harbour.'])

  await site.write({ 'post.md': '---\ntitle: The harbour\n---\n# The Harbour\n\nThe boat leaves.' })
  await site.buildOne()
  expect(inputs()).toEqual(['The Harbour.', 'The boat leaves.', 'The harbour.'])
})

test('voice, model and language come from the front matter, and the import overrides them', async () => {
  const site = await stage.site({
    'main.js': `export { default as a } from './post.md?narrate'; export { default as b } from './post.md?voice_id=slt&narrate'`,
    'post.md': '---\nvoice_id: anna\nmodel: svc-tts-1.0-pro\nlang: de-AT\n---\nGuten Tag.',
  })
  const { a } = (await site.build()) as { a: Narration }
  expect(a.language).toBe('de-AT')
  expect(stage.calls.map(({ voice_id, model }) => [voice_id, model])).toEqual(
    expect.arrayContaining([
      ['anna', 'svc-tts-1.0-pro'],
      ['slt', 'svc-tts-1.0-pro'],
    ]),
  )
})

test('the language selects voice and lexicon; captions keep the written form', async () => {
  const site = await stage.site({ ...main, 'post.md': '---\nlang: de-AT\n---\nSQL mit nginx.' })
  const voices = { en: 'rms', de: 'anna' }
  const lexicon = { '*': { nginx: 'engine x' }, de: { SQL: 'Es-Ku-El' }, en: { SQL: 'sequel' } }
  const { captions } = await site.buildOne({ voices, lexicon, response_format: 'mp3' })
  expect(stage.calls).toMatchObject([{ input: 'Es-Ku-El mit engine x.', voice_id: 'anna' }])
  expect(String(await site.built(captions))).toContain('SQL mit nginx.')
})

test('skip excludes a page, in front matter and in defaults', async () => {
  const site = await stage.site({
    'main.js': `export default import.meta.glob('./**/*.md', { query: '?narrate', import: 'src', eager: true, base: './' })`,
    'a.md': '---\nskip: true\n---\nText.',
    'drafts/b.md': 'Text.',
    'c.md': 'Text.',
  })
  const { default: found } = await site.build({
    defaults: (file) => (file.startsWith('drafts/') ? { skip: true } : {}),
  })
  expect(found).toEqual({ './a.md': '', './drafts/b.md': '', './c.md': expect.stringMatching(/\.flac$/) })
  expect(stage.calls).toHaveLength(1)
})

test('a recording replaces synthesis and makes no call', async () => {
  const site = await stage.site({ ...main, 'post.md': '---\naudio: ./spoken.wav\n---\nThe boat leaves.' })
  const made = speechAudio('wav', 2)
  await writeFile(`${site.root}/spoken.wav`, made?.bytes ?? '')
  const { src, type, durationSeconds, captions } = await site.buildOne()
  expect(src).toMatch(/^\/assets\/post-.*\.wav$/)
  expect({ type, durationSeconds, captions }).toEqual({
    type: 'audio/wav',
    durationSeconds: 2,
    captions: '',
  })
  expect(await site.built(src)).toEqual(Buffer.from(made?.bytes ?? ''))
  expect(stage.calls).toHaveLength(0)

  // Another recording of the same size has another address: browsers keep hashed assets for ever.
  const other = Buffer.from(made?.bytes ?? '').fill(1, 100, 200)
  await writeFile(`${site.root}/spoken.wav`, other)
  const replaced = await site.buildOne()
  expect(replaced.src).not.toBe(src)
  expect(await site.built(replaced.src)).toEqual(other)

  await mkdir(`${site.root}/gone`)
  await copyFile(`${site.root}/spoken.wav`, `${site.root}/gone/x.wav`)
  await site.write({ 'post.md': '---\naudio: ./missing.wav\n---\nThe boat leaves.' })
  await expect(site.build()).rejects.toThrow(/post\.md cannot be narrated: .*missing\.wav/s)
})

test('an error names a field of the wrong type', async () => {
  const site = await stage.site({ ...main, 'post.md': '---\nvoice_id: 7\n---\nText.' })
  await expect(site.build()).rejects.toThrow('voice_id in the front matter must be a text')
})

test('MDX is read without its code', async () => {
  const site = await stage.site({
    'main.js': `export { text as default } from './post.mdx?narrate'`,
    'post.mdx': `import Chart from './chart'\n\nexport const year = 2026\n\n# Ships\n\n<Chart year={year} />\n\nIn {year} they sail. <b>Often.</b>\n`,
  })
  const { default: text } = await site.build()
  expect(text).toMatch(/^Ships\.\n\nIn\s+they sail\. Often\.$/)
})

test('{{ }} of templates is not read', async () => {
  const site = await stage.site({
    'main.js': `export { text as default } from './post.md?narrate'`,
    'post.md': 'Version {{ version }} is out.\n\n<p>{{ $params.x }}</p>\n',
  })
  const { default: text } = await site.build()
  expect(text).toBe('Version is out.')
})

test('the name of a recording may hold spaces and signs, in dev too', async () => {
  const site = await stage.site({ ...main, 'post.md': `---\naudio: "./my talk, 100%.wav"\n---\nText.` })
  await writeFile(`${site.root}/my talk, 100%.wav`, speechAudio('wav', 1)?.bytes ?? '')
  const dev = await site.dev()
  const { src } = await dev.load('post.md?narrate')
  const response = await fetch(new URL(src, dev.url))
  expect(response.status).toBe(200)
  expect(response.headers.get('content-type')).toMatch(/audio/)
  expect((await response.arrayBuffer()).byteLength).toBe(speechAudio('wav', 1)?.bytes.byteLength)
  const built = await site.buildOne()
  expect((await site.built(built.src)).byteLength).toBe(speechAudio('wav', 1)?.bytes.byteLength)
})

test('another recording changes the length in dev', async () => {
  const site = await stage.site({ ...main, 'post.md': '---\naudio: ./x.wav\n---\nText.' })
  await writeFile(`${site.root}/x.wav`, speechAudio('wav', 1)?.bytes ?? '')
  const dev = await site.dev()
  expect((await dev.load('post.md?narrate')).durationSeconds).toBe(1)
  await writeFile(`${site.root}/x.wav`, speechAudio('wav', 2)?.bytes ?? '')
  dev.server.watcher.emit('change', join(site.root, 'x.wav'))
  await expect.poll(async () => (await dev.load('post.md?narrate')).durationSeconds).toBe(2)
})

test('pronunciations of a page come before those of the site', async () => {
  const site = await stage.site({
    ...main,
    'post.md': '---\npronunciations:\n  nginx: engine x\n  SQL: sequel\n---\nnginx and SQL and npm.',
  })
  await site.build({ lexicon: { en: { SQL: 'S Q L' }, '*': { npm: 'N P M' } } })
  expect(inputs()).toEqual(['engine x and sequel and N P M.'])
})

test('pronunciations of another form are named', async () => {
  const site = await stage.site({ ...main, 'post.md': '---\npronunciations: [nginx]\n---\nA.' })
  await expect(site.build()).rejects.toThrow(
    /post\.md cannot be narrated: pronunciations in the front matter must be a respelling/,
  )
})

test('text in another language has the voice of that language, in the same paragraph', async () => {
  const site = await stage.site({ ...main, 'post.md': 'He said <i lang="de">Guten Tag</i>, and left.' })
  const built = await site.buildOne({ response_format: 'mp3', voices: { de: 'anna' } })
  expect(stage.calls.map(({ input, voice_id }) => `${voice_id}: ${input}`).toSorted()).toEqual([
    'anna: Guten Tag',
    'rms: , and left.',
    'rms: He said',
  ])
  const captions = (await site.built(built.captions)).toString()
  expect(captions.match(/^\d\.1$/gm)).toEqual(['1.1', '2.1', '3.1'])
  // Without a voice for it, the paragraph is one call.
  await site.buildOne({ response_format: 'mp3', voices: { fr: 'anna' } })
  expect(inputs()).toContain('He said Guten Tag, and left.')
})

test('files of Svelte, Markdoc and of own endings are read', async () => {
  const site = await stage.site({
    'main.js': `export { default as a } from './a.svx?narrate'
export { default as b } from './b.mdoc?narrate'
export { default as c } from './c.page?narrate'`,
    'a.svx': '<script>\n  let n = { a: 1 }\n</script>\n\n{#if n}\nYes {n.a} *there*.\n{/if}\n',
    'b.mdoc': '{% callout title="x" %}\nInside.\n{% /callout %}\n',
    'c.page': '<p>Paged.',
  })
  await site.build({ extensions: { '.page': 'html' } })
  expect(inputs()).toEqual(['Inside.', 'Paged.', 'Yes there.'])
  await expect(site.build()).rejects.toThrow(
    /c\.page cannot be narrated: Only \.md, .*narration\(\{ extensions: \{ '\.ext'/,
  )
})
