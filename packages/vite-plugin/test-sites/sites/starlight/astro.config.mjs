import starlight from '@astrojs/starlight'
import { narration } from '@svc-audio/vite-plugin'
import { defineConfig } from 'astro/config'

export default defineConfig({
  base: '/docs',
  devToolbar: { enabled: false },
  integrations: [
    starlight({
      title: 'Harbours',
      pagefind: false,
      components: { MarkdownContent: './src/components/Narrated.astro' },
    }),
  ],
  // The tests install the packages in the folder above.
  vite: {
    server: { fs: { allow: ['..'] } },
    plugins: [narration({ voice_id: 'rms', pages: 'src/content/docs/**/*.{md,mdx}' })],
  },
})
