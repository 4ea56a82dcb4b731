export { createFliteEngine } from './flite-engine.ts'
