import { join } from 'node:path'
import { narration } from '@svc-audio/vite-plugin'
import { defineConfig, type DefaultTheme } from 'vitepress'
import { apiEntries, writeApiReference } from '../src/api-reference.ts'
import { leanPages } from '../src/lean-pages.ts'
import { NARRATION_CACHE, NARRATION_OPTIONS, restoreNarration } from '../src/narration-cache.ts'
import { headingSlug, routeAddress } from '../src/site-links.ts'
import { searchRenderer, weightOf } from '../src/site-search.ts'
import { ROOT, STAGED, type StagedSection, stageSite } from '../src/stage-site.ts'

const sections = stageSite()
await writeApiReference(ROOT, join(STAGED, 'pages/api'))
restoreNarration()

const apiItems = apiEntries(ROOT).map(({ title, route }) => ({ text: title, link: `/api/${route}/` }))

function sidebarGroup({ title, pages }: StagedSection): DefaultTheme.SidebarItem {
  return {
    text: title,
    collapsed: title !== 'Start' && title !== 'Start by framework',
    items: pages.map((page) => ({ text: page.title, link: routeAddress(page.route) })),
  }
}

export default defineConfig({
  lang: 'en',
  title: 'svc-audio',
  description: 'Speech and transcription for TypeScript: one client, adapters for frameworks, a service of your own',
  srcDir: '.site/pages',
  outDir: 'dist',
  cacheDir: 'node_modules/.cache/vitepress',
  cleanUrls: true,
  router: { prefetchLinks: false },
  head: [
    ['link', { rel: 'icon', href: '/icon.svg', type: 'image/svg+xml' }],
    ['link', { rel: 'alternate', type: 'text/plain', href: '/llms.txt', title: 'llms.txt' }],
  ],
  markdown: {
    anchor: { slugify: headingSlug },
    config(md) {
      const render = md.renderer.rules.code_inline
      if (render === undefined) return
      // Pages quote expressions of n8n and Vue: inline code is never one of this site.
      md.renderer.rules.code_inline = (...args) => render(...args).replace('<code', '<code v-pre')
    },
    languageAlias: { caddyfile: 'nginx', haproxy: 'nginx' },
    image: { lazyLoad: true },
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
  },
  vue: { template: { compilerOptions: { isCustomElement: (tag) => tag === 'narration-player' } } },
  themeConfig: {
    search: {
      provider: 'local',
      options: { _render: searchRenderer(), miniSearch: { searchOptions: { boostDocument: weightOf } } },
    },
    nav: [
      { text: 'Start', link: '/start/' },
      { text: 'Guides', link: '/frameworks' },
      { text: 'Packages', link: '/packages/core/' },
      { text: 'API', link: '/api/core/' },
      { text: 'Self-hosting', link: '/self-hosting/' },
      { text: 'Errors', link: '/errors' },
      { text: 'Changelog', link: '/changelog' },
    ],
    sidebar: sections.map(sidebarGroup).concat({ text: 'API reference', items: apiItems }),
    outline: [2, 3],
    socialLinks: [{ icon: 'github', link: 'https://github.com/svc-audio/svc-audio' }],
    editLink: {
      pattern: ({ frontmatter }) => String(frontmatter['editLink'] ?? 'https://github.com/svc-audio/svc-audio'),
      text: 'Edit this page',
    },
  },
  vite: {
    // The index of the search is the largest chunk. It is loaded with the first search.
    build: { chunkSizeWarningLimit: 4000 },
    publicDir: join(import.meta.dirname, '../.site/public'),
    plugins: [
      leanPages(),
      narration({
        ...NARRATION_OPTIONS,
        // The site builds without a service and without a key: the audio is committed.
        mode: process.env['SVC_AUDIO_NARRATE'] === 'true' ? 'auto' : 'cache-only',
        collect: process.env['SVC_AUDIO_NARRATE'] === 'true',
        cacheDir: NARRATION_CACHE,
      }),
    ],
  },
})
