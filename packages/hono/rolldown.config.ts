import { commonJs } from '@svc-audio/build'
import { defineConfig } from 'rolldown'

export default defineConfig(commonJs({ entries: { index: 'dist/index.js' } }))
