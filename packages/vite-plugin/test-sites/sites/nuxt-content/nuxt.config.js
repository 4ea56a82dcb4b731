import { narration } from '@svc-audio/vite-plugin'

export default defineNuxtConfig({
  compatibilityDate: '2026-01-01',
  modules: ['@nuxt/content'],
  app: { baseURL: '/docs/' },
  content: { experimental: { sqliteConnector: 'native' } },
  nitro: { prerender: { routes: ['/'], crawlLinks: true } },
  vite: { plugins: [narration({ voice_id: 'rms', pages: '../content/**/*.md' })] },
  vue: { compilerOptions: { isCustomElement: (tag) => tag === 'narration-player' } },
})
