import { commonJs } from '@svc-audio/kit/build'
import { defineConfig } from 'rolldown'

export default defineConfig(
  commonJs({ entries: { index: 'dist/index.js', adapter: 'dist/adapter.js' }, bundled: ['file-type'] }),
)
