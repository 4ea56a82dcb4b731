import { defineProject } from 'vitest/config'

// the gateway of Nest
export default defineProject({ oxc: { decorator: { legacy: true, emitDecoratorMetadata: true } } })
