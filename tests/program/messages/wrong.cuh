int first = ;
int second = undeclared;
