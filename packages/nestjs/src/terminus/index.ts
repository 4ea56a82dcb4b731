export { AudioHealthIndicator, type AudioHealthOptions } from './audio-health-indicator.ts'
