import { execFile } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { parseAst } from 'vite'
import { expect, onTestFinished, test } from 'vitest'
import { separateStaticNodes } from './lean-pages.ts'

const VITEPRESS = join(import.meta.dirname, '../node_modules/vitepress/bin/vitepress.js')

test('each piece of static HTML ends its line, and strings stay whole', () => {
  const code = `a = createStaticVNode("<p>\\"x\\", 1)</p>", 2), b = createStaticVNode('y', 1)]`
  expect(separateStaticNodes(code)).toBe(
    `a = createStaticVNode("<p>\\"x\\", 1)</p>", 2)\n, b = createStaticVNode('y', 1)\n]`,
  )
})

test('every chunk of a page with several pieces of static HTML is JavaScript', { timeout: 120_000 }, async () => {
  const root = await realpath(await mkdtemp(join(tmpdir(), 'lean-pages-')))
  onTestFinished(() => rm(root, { recursive: true, force: true }))
  await mkdir(join(root, '.vitepress'))
  await symlink(join(import.meta.dirname, '../node_modules'), join(root, 'node_modules'))
  const plugin = JSON.stringify(join(import.meta.dirname, 'lean-pages.ts'))
  await writeFile(
    join(root, '.vitepress/config.mjs'),
    `import { leanPages } from ${plugin}\nexport default { vite: { plugins: [leanPages()] } }`,
  )
  const list = Array.from({ length: 30 }, (_, index) => `- Static item ${index}`).join('\n')
  const page = [
    '<main>\n<div class="a">\n<div class="b">\n\n# Home\n\n<Shown />\n\n</div>\n<div class="c">',
    list,
    '</div>\n</div>\n\n<div class="d">',
    list,
    '</div>\n</main>\n',
  ].join('\n\n')
  await writeFile(join(root, 'index.md'), page)
  await promisify(execFile)(process.execPath, [VITEPRESS, 'build'], { cwd: root })
  const chunks = globSync('**/*.js', { cwd: join(root, '.vitepress/dist') })
  expect(chunks.some((path) => path.endsWith('.lean.js'))).toBe(true)
  for (const path of chunks) parseAst(readFileSync(join(root, '.vitepress/dist', path), 'utf8'))
})
