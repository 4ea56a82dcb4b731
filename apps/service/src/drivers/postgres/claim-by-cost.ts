import { UNKNOWN_COST } from '../../domain/task-kinds.ts'
import { readFunction } from './sql-file.ts'

/** Migration from round-robin to cost-based fairness. Older programs claim with their own function, round-robin. */
export const SHARES_BY_COST = [
  `ALTER TABLE svc_audio.jobs ADD COLUMN cost bigint NOT NULL DEFAULT ${UNKNOWN_COST}`,
  readFunction('lane_of'),
  `CREATE TABLE svc_audio.lanes (lane text PRIMARY KEY, reached bigint NOT NULL) WITH (fillfactor = 50)`,
  `INSERT INTO svc_audio.lanes VALUES ('speech', 0), ('recognition', 0)`,
  `CREATE TABLE svc_audio.shares (
     tenant text NOT NULL,
     lane text NOT NULL,
     spent bigint NOT NULL,
     turn bigint NOT NULL,
     PRIMARY KEY (tenant, lane)
   ) WITH (fillfactor = 50)`,
  readFunction('claim_task_2'),
]
