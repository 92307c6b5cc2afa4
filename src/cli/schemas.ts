import { config } from 'zod';

/**
 * Zod compiles a function for each object that it checks. A command checks most of them once, so that this
 * takes a start 15 ms more than it saves (2026-11-30). The setting is that of the whole process. Its other
 * schemas a program that imports the library may have made, so that only the command line sets it.
 */
config({ jitless: true });
