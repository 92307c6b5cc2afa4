/** Where rows stand in files, and what we wrote where. */
export const HOST_NOTES = '';
